// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"

	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// Changed is what the MCP front tells when a server says that its tools changed.
func (d *Daemon) Changed(server string) { d.changed(server) }

// Waiting is how many approvals wait.
func (d *Daemon) Waiting(ctx context.Context) (int, error) { return d.pendingApprovals(ctx) }

// Inside are the parts that a benchmark fills with more than the fronts would
// take.
func (d *Daemon) Inside() (*sqlite.Store, *approval.Desk) { return d.store, d.desk }
