// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package setup knows where each coding agent looks for its hooks, writes the
// gate's entry there, takes it out again, and finds what keeps it from working. It
// changes nothing but that entry: what else stands in a file stays as it is, and a
// file that cannot be read for sure is refused. Nothing is written before
// [Change.Apply].
package setup
