// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package shell tells what a shell command would do: the programs it runs,
// the files it reads, writes and deletes, the hosts it connects to.
//
// The text is parsed by mvdan.cc/sh and walked as a shell would run it. Each
// variable, the working directory, functions and aliases are followed as far
// as the text alone decides them; branches that cannot be decided are all
// taken. Commands that run others (sudo, xargs, find -exec, bash -c, ssh, awk)
// are unfolded down to what they run; the table of programs is in
// internal/program.
//
// It fails towards opaque: what the parser refuses, or is known to read
// differently from a shell, what depends on data, what is too large, and any
// fault inside, is an opaque effect that says why. A program the table does not
// have is an execute effect with Known false. Nothing here looks at the disk,
// the environment or the clock; the same text gives the same effects.
package shell
