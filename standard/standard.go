// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package standard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
	"github.com/toolverdict/toolverdict/ledger"
)

// Gate is a gate over Go functions. It is safe for concurrent use.
type Gate struct {
	*toolverdict.Gate

	env   map[string]string
	now   func() time.Time
	desk  *approval.Desk
	book  *ledger.Book
	store *sqlite.Store
	stop  context.CancelFunc
	work  sync.WaitGroup
}

// Open makes a gate of a folder and functions by their full names. Close it at
// the end.
func Open(ctx context.Context, folder string, functions map[string]Func) (*Gate, error) {
	return open(ctx, folder, functions, match)
}

// OpenClaims makes a gate whose tools run elsewhere: in a framework, behind a
// [Gate.Guard], or in code of the caller's between Check and Report. The tools are
// those of the catalog. Calls that it is to run itself fail.
func OpenClaims(ctx context.Context, folder string) (*Gate, error) {
	return open(ctx, folder, nil, complete)
}

func open(ctx context.Context, folder string, functions map[string]Func, check checking) (g *Gate, err error) {
	conf, err := readConfig(folder)
	if err != nil {
		return nil, fmt.Errorf("open gate: %w", err)
	}
	snapshot, err := load(conf, functions, check)
	if err != nil {
		return nil, fmt.Errorf("open gate: %w", err)
	}
	node := secret.NewID()
	g = &Gate{env: conf.Env, now: time.Now} //nolint:forbidigo // batteries included: the clock is the machine's
	if g.store, err = sqlite.Open(ctx, sqlite.Config{Dir: conf.Data, Node: node, Now: g.now}); err != nil {
		return nil, fmt.Errorf("open gate: %w", err)
	}
	if err := g.assemble(ctx, conf, node, snapshot, functions); err != nil {
		return nil, errors.Join(fmt.Errorf("open gate: %w", err), g.store.Close())
	}
	g.start()
	return g, nil
}

// readConfig reads the folder's configuration, or stands in for one.
func readConfig(folder string) (*config.Config, error) {
	path := filepath.Join(folder, "toolverdict.yaml")
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		b, err = []byte("version: 1\npolicies: [policy.yaml]\ncatalogs: [catalog.yaml]\n"), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	c, err := config.Parse(path, b)
	if err != nil {
		return nil, fmt.Errorf("read configuration:\n%w", err)
	}
	if len(c.Upstreams) > 0 {
		return nil, c.Problem("upstreams are served by 'toolverdict serve'; here the tools are Go functions")
	}
	if c.Bundle != nil { // leaving it out in silence would leave its rules out
		return nil, c.Bundle.Problem("a bundle is fetched by 'toolverdict serve'; name policy files here")
	}
	return c, nil
}

// assemble puts the parts together.
func (g *Gate) assemble(ctx context.Context, conf *config.Config, node string, now snapshots, functions map[string]Func) error {
	key, err := secret.OwnKey(conf.Data, secret.RedactionKey)
	if err != nil {
		return err
	}
	redactor, err := redact.New(redact.Config{Key: key})
	if err != nil {
		return err
	}
	a := conf.Approvals
	g.desk, err = approval.New(approval.Config{
		Store: g.store, Now: g.now, NewID: secret.NewID, Text: redactor.Text,
		Approvers: a.Approvers, Pending: a.Pending, Use: a.Use,
	})
	if err != nil {
		return err
	}
	if g.book, err = ledger.New(ledger.Config{Store: g.store, Now: g.now, Text: redactor.Text}); err != nil {
		return err
	}
	if _, err := g.book.Recover(ctx); err != nil {
		return err
	}
	g.Gate, err = toolverdict.New(toolverdict.Config{
		Snapshots: now, Choices: g.store, Analyser: effect.System(), Confirmations: g.desk, Store: g.store, Executor: executor(functions),
		Redactor: redactor, Now: g.now, NewID: secret.NewID, Node: node,
		Limits: canon.Limits{MaxBytes: conf.Limits.ArgumentBytes, MaxDepth: conf.Limits.Depth}, Timeout: conf.Timeout,
		OpenAsks: conf.Approvals.OpenPerRun,
	})
	return err
}

// sweepEvery is how often what the clock ended is written down. Nothing depends
// on it being timely.
const sweepEvery = 5 * time.Second

func (g *Gate) start() {
	ctx, stop := context.WithCancel(context.Background())
	g.stop = stop
	g.work.Go(func() {
		tick := time.NewTicker(sweepEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_, _ = g.desk.Sweep(ctx)   // tried again at the next tick
				_, _ = g.book.Recover(ctx) // so is this
			}
		}
	})
}

// Call decides one call and runs it if it is cleared, under the facts of the
// folder's configuration. The result says everything the caller needs; the error
// is for the log.
func (g *Gate) Call(ctx context.Context, by toolverdict.Subject, tool string, arguments []byte) (toolverdict.Result, error) {
	return g.Do(ctx, toolverdict.Proposal{
		Door: toolverdict.DoorLibrary, Tool: tool, Arguments: arguments, Subject: by, Environment: g.env,
	})
}

// Resume runs the call that a confirmation was asked for, as its requester.
func (g *Gate) Resume(ctx context.Context, by toolverdict.Subject, confirmation string) (toolverdict.Result, error) {
	return g.Do(ctx, toolverdict.Proposal{
		Door: toolverdict.DoorLibrary, Confirmation: confirmation, Subject: by, Environment: g.env,
	})
}

// Guard lets functions and frameworks run their tools with leave of this gate, in
// the name of a subject and under the facts of the folder's configuration. Server
// is whose tools they are; with "" they have full names.
func (g *Gate) Guard(by toolverdict.Subject, server string) guard.Guard {
	return guard.Guard{Source: guard.Local{Gate: g.Gate, Subject: by, Environment: g.env}, Server: server}
}

// Pending returns the confirmations that wait for an answer and that somebody may
// see, oldest first.
func (g *Gate) Pending(ctx context.Context, by toolverdict.Subject) ([]toolverdict.Approval, error) {
	return g.desk.List(ctx, by, toolverdict.ApprovalQuery{State: toolverdict.ApprovalPending})
}

// Approve is a person's yes to a confirmation.
func (g *Gate) Approve(ctx context.Context, by toolverdict.Subject, confirmation, reason string) error {
	_, err := g.desk.Approve(ctx, by, confirmation, reason)
	return err
}

// Reject is a person's no. It is final.
func (g *Gate) Reject(ctx context.Context, by toolverdict.Subject, confirmation, reason string) error {
	_, err := g.desk.Reject(ctx, by, confirmation, reason)
	return err
}

// Records finds records of the audit log.
func (g *Gate) Records(ctx context.Context, q audit.Query) ([]audit.Numbered, error) {
	log, err := g.store.Log(ctx)
	if err != nil {
		return nil, err
	}
	found, err := log.Find(ctx, q)
	return found, errors.Join(err, log.Close())
}

// Close signs the log and closes the store. Calls must have ended.
func (g *Gate) Close() error {
	g.stop()
	g.work.Wait()
	return g.store.Close()
}
