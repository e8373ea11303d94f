// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package sql tells what a text of SQL would do: the statements, the relations
// and columns they read and change, whether a condition chooses the rows that
// are changed, the functions they call, and the files, programs and hosts they
// reach on the database's side.
//
// A text is parsed, never searched for words: PostgreSQL's by PostgreSQL's own
// parser, MySQL's and MariaDB's by that of Vitess, SQLite's by one of this
// package's own. Each statement is one effect of kind query; a part of a
// statement that changes data by itself (a DELETE in a WITH clause) is another
// with the same number.
//
// These verbs only read where Changes and Functions are empty and no other
// effect stands beside them: select, show, explain. FOR UPDATE and its like add
// an effect with the verb lock, an assignment to a variable one with the verb
// set. Every other verb changes data, the schema, the session, its transaction
// or the server.
//
// The text does not show what is stored in the database: what triggers, rules,
// views, functions and foreign keys do when their tables are touched, and the
// partitions of a table, which the table's name stands for. A function that is
// not the database's own is in Query.Functions, and may do anything. "*" in
// Query.Changes is said where a statement reaches relations that it does not
// name (CASCADE, DROP SCHEMA, DO).
package sql
