// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package child runs a program that speaks in lines over its standard input and
// output.
//
// A child gets exactly the environment it is given, never the gate's own, and
// no shell reads its arguments. It has a session and a process group of its own,
// which ends with it: what it started is killed when it exits or is stopped. When
// the gate itself is killed, a [Guard] kills the group, and, on Linux, the kernel
// the child. What a child leaves behind on purpose, in a group of its own, is out
// of reach.
//
// The package knows nothing of what the lines say. A line that is too long, or a
// write that is not taken, ends the child: nothing is ever split or skipped.
//
// It works on Unix-like systems. Elsewhere it compiles, and refuses to start
// anything.
package child
