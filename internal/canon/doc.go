// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package canon reads JSON strictly, compares it exactly and writes it in one
// canonical form.
package canon
