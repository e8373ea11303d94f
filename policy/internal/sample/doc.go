// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package sample finds values that tell the tests of a policy apart: for all
// tests of one field, one value for each combination of outcomes that there is.
// It knows what operators compare with and nothing of rules or verdicts, and it
// judges nothing: whoever uses a sample evaluates it.
//
// For equality, order, and everything regular (prefix, suffix, contains, glob,
// regex, length of a text) the samples are complete: the patterns are run side
// by side as automata. Where they may not be, it says so.
package sample
