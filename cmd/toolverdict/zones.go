// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

// A policy may name a time zone. The binary brings the zones along, so that it
// reads the same on a host that has none.
import _ "time/tzdata"
