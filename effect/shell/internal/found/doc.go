// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package found collects the effects of a command while it is analysed, and
// keeps the analysis within its limits: what goes beyond them is one opaque
// effect more. It also knows how hosts are written. It knows nothing of shells.
package found
