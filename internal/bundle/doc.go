// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package bundle knows the signed form in which policy files travel: one text
// that holds all files of a set, who it is for, a serial and an end.
//
// All files are under one signature, so that nobody can mix those of one version
// with those of another. The name says whom a bundle is for: one that was signed
// for another gate is not taken for ours. The serial tells a newer one from an
// older; whoever opens bundles must remember the highest it accepted. The end
// bounds how long an old bundle can be passed off as the newest.
//
// It does no I/O and has no clock. It fails closed: nothing of a bundle is read
// before a signature over its very bytes has been found good, and whatever is
// not in the one canonical form is refused.
package bundle
