// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

// Guarded is what Analyse runs the analysis in.
var Guarded = guarded
