// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package catalog is the tables of PostgreSQL's functions and operators: which
// of them do more than to compute a value, and what.
package catalog
