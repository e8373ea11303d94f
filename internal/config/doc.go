// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package config reads the gate's one configuration file.
//
// It knows the file's words and nothing of the parts that are built from it.
// It is strict: what it does not know, or could be read in two ways, is an
// error with file, line and column. Secrets are never in the file: they are
// references ("env:NAME", "file:PATH") that are resolved once, at start.
package config
