// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package pull

// Dialer makes the connections of a source.
var Dialer = dialer
