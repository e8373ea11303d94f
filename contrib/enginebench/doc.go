// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package enginebench holds Toolverdict's policy engine against the engines that
// one would otherwise take: the same rules and the same calls for all of them,
// with the verdicts of each compared with those of an oracle that is too simple
// to be wrong. It is a module of its own, so that none of the engines is a
// dependency of the product.
//
// The rules are plain on purpose: every engine here can say all of them.
package enginebench
