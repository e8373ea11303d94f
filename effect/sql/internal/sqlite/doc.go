// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package sqlite tells what SQLite would do with a text of SQL. It reads it
// with a parser of SQLite's grammar of its own: those that there are for Go
// leave out ATTACH, VACUUM and much else, and end the process on a text that
// nests deep. The tests hold it against SQLite itself: every text that it reads,
// SQLite reads, and every table that SQLite touches is among those it tells.
//
// What the text does not show it does not tell: what triggers and views do, and
// which tables a foreign key reaches.
package sqlite
