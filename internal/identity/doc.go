// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package identity knows who may speak to the gate: subjects, and the API keys
// that prove them. It reads no file and no clock. Whatever is not exactly right
// authenticates nobody.
package identity
