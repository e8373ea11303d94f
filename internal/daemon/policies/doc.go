// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package policies keeps a gate's policy up to date: from files that change, from
// a signed bundle that is fetched, and from the versions that were in force
// before. It knows when which of them is meant to be in force; it compiles none
// and decides no call.
//
// It fails closed. An update that cannot be read, is not signed by a trusted
// key, is older than one that was accepted or does not fit the tools is refused:
// what was in force stays, and the log, the store and the status say so. A
// bundle that has ended denies every call.
//
// What is in force is swapped whole: catalog and policies of one reading, in one
// step, after the record of it is durable.
package policies
