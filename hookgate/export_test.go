// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

// Reason is for tests of what a denial says.
func Reason(text string) string { return reason(text) }
