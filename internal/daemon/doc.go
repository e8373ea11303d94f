// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package daemon assembles the gate. It is the only place that knows every
// part: each newX function makes one of them from the configuration, and
// nothing else of the program decides what is connected to what.
//
// It fails closed while it assembles: a configuration, policy or catalog that
// cannot be read stops the start, and a bad one at reload leaves the one in
// force. An upstream that cannot be reached stops nothing: its tools are not
// there until it can.
package daemon
