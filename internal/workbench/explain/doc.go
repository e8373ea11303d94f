// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package explain says to a person how a decision came about: what a call would
// do, what each rule made of that, and what decided. Secrets of the call are
// hidden; what the policy's writer wrote is not.
package explain
