// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

// Changed is what the MCP front tells when a server says that its tools changed.
func (d *Daemon) Changed(server string) { d.changed(server) }
