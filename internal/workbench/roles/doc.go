// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package roles guesses what arguments mean, from their names, formats and the
// tool around them, for a person to confirm. A guess is a proposal and is never
// put in force by itself: a role that is wrong could make a rule miss what the
// tool does.
package roles
