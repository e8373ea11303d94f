// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !faultpoints

package daemon

import tv "github.com/toolverdict/toolverdict"

// drill leaves the parts of a gate as they are. Drills of crashes build the
// program with the tag faultpoints, which no release has.
func (d *Daemon) drill(c tv.Config) tv.Config { return c }
