// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package catalog knows which tools may be called and what each of them is.
//
// Servers announce tools; the operator describes them in an overlay; pins say
// which announcements were reviewed. [Build] puts the three together into one
// immutable [Catalog], and reports every tool with its state. It is a pure
// function: it reads no file, no clock and no network.
//
// What a server says of itself is a stranger's word. Its annotations loosen
// nothing unless the operator trusts that server; a tool that nobody described
// is destructive and of high risk; a new or changed definition, a name that
// could be taken for another, and a definition that cannot be read exactly are
// held back, each with its reason, while the other tools go on working.
package catalog
