// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

// CanaryName is the name of no tool and of no server: catalogs and configurations
// refuse both. A call of it is denied by every gate, whatever its policy says, so
// that whoever makes one learns whether a door leads to a gate, and can run nothing
// where it does not. No agent takes any part of it for the name of a server.
const CanaryName = "toolverdictcanary"
