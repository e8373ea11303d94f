// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package grants makes, judges and takes back the yeses of people to calls that
// are like one they were asked about.
//
// A grant's class of calls is one condition in the language of policies, over
// arguments and effects, and is judged as the condition of an allow rule is: what
// is missing, of another type, or cannot be told, is outside. It starts as the
// very call at hand, every argument fixed and every effect as it was; an approver
// frees single arguments within bounds. What has a program in it, a shell's
// command or a statement for a database, is freed by what it does, never by its
// text. The package decides no call: it tells the gate which grants cover one,
// and the gate checks all else.
package grants
