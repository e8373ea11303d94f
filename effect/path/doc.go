// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package path says which files a tool touches that is given a path: absolute
// and cleaned, so that rules compare whole names and no prefix of one passes for
// another.
//
// Tools read paths in more than one way: some take percent codes out, some turn
// backslashes into slashes, some trim blanks. Every reading yields effects, and
// a rule that allows has to match them all. What has no reading that could be
// relied on (control characters, a home folder or a variable to be filled in, a
// URL, a device) is opaque.
//
// By itself the package knows the text alone. Given a [Tree], such as an
// *os.Root, it follows symbolic links below the tool's root, and a file has both
// names: the one that was written and the one it really has. It cannot see hard
// links and mounts, nor links outside of the root, nor what changes between the
// decision and the call: that takes a sandbox.
package path
