// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package pull

// StayHere is asked before each connection of a source without TLS.
var StayHere = stayHere
