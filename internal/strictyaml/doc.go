// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package strictyaml reads a YAML file into Go structs and forgives nothing.
//
// An unknown key, a key given twice, an alias, a second document or a value of
// the wrong type is an error with file, line and column, and where a key is
// misspelt the nearest known one is named. All problems of a file are reported
// at once. Values never appear in messages: a file may hold what should not be
// printed.
package strictyaml
