// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package state knows what a shell would remember between two commands, as far
// as the text decides it: variables, folders, functions, aliases, links. Where
// ways part and meet again, a state stands for either.
//
// It fails towards not knowing: what two ways leave differently could be
// anything.
package state
