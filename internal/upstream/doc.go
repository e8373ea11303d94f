// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package upstream asks servers, in the gate's own name, what tools they have.
// The packages below it reach them.
package upstream
