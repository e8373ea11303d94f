// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/httpgate"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

func (d *Daemon) newHTTP(context.Context) (err error) {
	d.api, err = httpgate.New(httpgate.Config{
		Gate: d.gate, Reader: d.desk, Voter: d.desk, Book: d.book, Choices: d.store, Records: records{d.store},
		All:          func() []*tv.Tool { return d.now.p.Load().catalog.Tools() },
		Authenticate: d.people.Authenticate, Run: d.run, Ready: d.Ready, Now: d.Now, Log: d.Log,
		Hosts: d.hosts(), Environment: d.Config.Env, Limits: limits(d.Config.Limits),
	})
	return err
}

// records finds audit records, each time in the log as it is then.
type records struct{ store *sqlite.Store }

// Find implements httpgate.Records.
func (r records) Find(ctx context.Context, q audit.Query) (found []audit.Numbered, err error) {
	view, err := r.store.Log(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	return view.Find(ctx, q)
}
