// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package standard turns a folder into a working gate inside a Go program, with
// the program's own functions as tools.
//
// The folder holds policy.yaml, catalog.yaml, which describes every function as
// a tool "SERVER/NAME" with its schema, and optionally toolverdict.yaml. State,
// audit log and keys are kept in its data folder: the commands of toolverdict
// work on it too.
//
// It fails closed: a function without a catalog entry, an entry without a
// function, or any file that does not load makes no gate.
package standard
