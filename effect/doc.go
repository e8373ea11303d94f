// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package effect finds out what a call would do: it takes the arguments to which
// the catalog gives roles and has each read by the analyser for its role, in the
// packages below.
//
// Whatever is not understood is an opaque effect: an argument that is missing
// where nobody declared what that means, a value of another type than its role
// needs, a language without an analyser, an analyser that broke down.
package effect
