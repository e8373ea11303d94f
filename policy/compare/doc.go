// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package compare tells what a change of a policy changes: which rules differ,
// and for each kind of difference in the verdict a witness, which is a call that
// one policy decides in one way and the other in another.
//
// Witnesses are found by a search over the conditions of the rules themselves:
// each field is reduced to one value for each combination of outcomes of its
// tests, and the search assigns these until both verdicts are settled. Every
// witness is decided by both policies before it is told, so that there is no
// false one. That there is none is told only where the search was complete:
// where a rule rests on something that the samples do not exhaust, or a bound
// was met, the answer is [Unknown], never [Equal].
//
// What is compared is the policy's own verdict; what a tool's permission and
// risk demand on top is the same under both.
package compare
