// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

// Managed is for tests: administrators' files lie where tests do not write.
var Managed = managed
