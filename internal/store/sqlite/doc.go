// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package sqlite keeps the gate's state in one SQLite file: the ledger,
// approvals, limits, choices, pins and the audit log, so that a step and its
// record are one write.
//
// All writes go through one goroutine on one connection, which takes what has
// queued up meanwhile into one transaction and one fsync. A conflict fails only
// its own change. Several processes may open one file: everything that a write
// depends on is read inside its own transaction, and a process that dies is
// seen by the lock it held (see [Store.DeadNodes]).
//
// It fails closed: a full disk, an I/O error, a read-only or replaced file or a
// log that somebody rewrote fail every waiting change, and nothing is said to
// be written before the disk has it. The next change tries again, so that the
// store recovers when the disk does.
package sqlite
