// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hooks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/desk"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon/subjects"
	"github.com/toolverdict/toolverdict/internal/policyfile"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
	"github.com/toolverdict/toolverdict/ledger"
	"github.com/toolverdict/toolverdict/policy"
)

// Options are what a gate for one answer is made of.
type Options struct {
	Config   *config.Config
	Policies []policy.File // in the place of those that the configuration names
	// Unattended says that nobody is at the run of Claude Code that asks, as it tells its
	// hooks itself.
	Unattended bool
	Now        func() time.Time
	Log        *slog.Logger
}

// Local is a gate in this process, on the store of a data folder. Other processes
// may use the same folder, a served gate among them.
type Local struct {
	*desk.Desk

	by    tv.Subject
	store *sqlite.Store
}

// Open makes a gate of files and a data folder. Close it at the end.
func Open(ctx context.Context, o Options) (l *Local, err error) {
	layer, err := Of(o.Config)
	if err != nil {
		return nil, err
	}
	l = &Local{}
	if l.by, err = caller(o.Config); err != nil {
		return nil, err
	}
	snapshot, err := load(o, layer)
	if err != nil {
		return nil, err
	}
	node := secret.NewID()
	if l.store, err = sqlite.Open(ctx, sqlite.Config{Dir: o.Config.Data, Node: node, Now: o.Now}); err != nil {
		return nil, err
	}
	if err := unheld(ctx, l.store, o.Config); err != nil {
		return nil, errors.Join(err, l.store.Close())
	}
	if l.Desk, err = assemble(o, layer, l.store, node, snapshot); err != nil {
		return nil, errors.Join(err, l.store.Close())
	}
	return l, nil
}

// Answer answers one input of an agent's hook, for the subject of the stdio front.
func (l *Local) Answer(ctx context.Context, a hookgate.Agent, input []byte) ([]byte, error) {
	return l.Desk.Answer(ctx, a, l.by, input)
}

// Close closes the store.
func (l *Local) Close() error { return l.store.Close() }

// unheld refuses while a person holds a served gate to an earlier policy: this one
// is made of the files, which are what that person went back from.
func unheld(ctx context.Context, store *sqlite.Store, c *config.Config) error {
	standing, _, err := rollout.ReadStanding(ctx, store, rollout.Place(c.Policies))
	if err != nil {
		return err
	}
	if standing.Hold != nil {
		return errors.New("somebody went back to an earlier policy, which 'toolverdict serve' keeps to: use --server, or end it with 'toolverdict policy resume'")
	}
	return nil
}

// caller is who speaks for whoever can start this program.
func caller(c *config.Config) (tv.Subject, error) {
	if c.Stdio.Subject == "" {
		return tv.Subject{}, c.Problem("stdio.subject: name the subject that the agent calls as")
	}
	find, err := subjects.Finder(c)
	if err != nil {
		return tv.Subject{}, err
	}
	s, ok := find(c.Stdio.Subject)
	if !ok {
		return s, c.Problem("stdio.subject: there is no subject %q", c.Stdio.Subject)
	}
	return s, nil
}

// snapshots is one snapshot for good.
type snapshots struct{ tv.Snapshot }

// Current implements [tv.Snapshots].
func (s *snapshots) Current() *tv.Snapshot { return &s.Snapshot }

func load(o Options, l Layer) (*snapshots, error) {
	if o.Config.Bundle != nil {
		return nil, o.Config.Bundle.Problem("bundle: it is fetched by 'toolverdict serve': use --server, so that its rules count")
	}
	if o.Config.Mode == config.ModeObserve {
		return nil, o.Config.Problem("mode: observe is for 'toolverdict serve --observe': use --server")
	}
	files := o.Policies
	var in catalog.Input
	for _, path := range o.Config.Catalogs {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read catalog: %w", err)
		}
		overlay, err := catalog.ParseOverlay(path, b)
		if err != nil {
			return nil, fmt.Errorf("read catalog:\n%w", err)
		}
		in.Overlays = append(in.Overlays, overlay)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Config.Upstreams)) {
		// It has no place but what the catalog says, as in a served gate: an approval
		// of one counts in the other.
		in.Servers = append(in.Servers, catalog.Server{Name: name, Local: true})
	}
	in, err := l.Extend(in)
	if err != nil {
		return nil, err
	}
	cat, _, err := catalog.Build(in)
	if err != nil {
		return nil, fmt.Errorf("build catalog:\n%w", err)
	}
	if len(files) == 0 {
		if files, err = policyfile.Read(o.Config.Policies); err != nil {
			return nil, err
		}
	}
	if files, err = l.Protect(files, cat.Tools()); err != nil {
		return nil, err
	}
	set, _, err := policy.Compile(files, cat, policy.Options{Discovery: true, Analyse: effect.Effects})
	if err != nil {
		return nil, fmt.Errorf("read policy:\n%w", err)
	}
	return &snapshots{tv.Snapshot{Catalog: cat, Policy: set}}, nil
}

func assemble(o Options, l Layer, store *sqlite.Store, node string, now tv.Snapshots) (*desk.Desk, error) {
	c := o.Config
	key, err := secret.OwnKey(c.Data, secret.RedactionKey)
	if err != nil {
		return nil, err
	}
	redactor, err := redact.New(redact.Config{Key: key})
	if err != nil {
		return nil, err
	}
	people, err := approval.New(approval.Config{
		Store: store, Now: o.Now, NewID: secret.NewID, Text: redactor.Text,
		Approvers: c.Approvals.Approvers, Pending: c.Approvals.Pending, Use: c.Approvals.Use,
	})
	if err != nil {
		return nil, err
	}
	book, err := ledger.New(ledger.Config{Store: store, Now: o.Now, Text: redactor.Text})
	if err != nil {
		return nil, err
	}
	gate, err := tv.New(tv.Config{
		Snapshots: now, Choices: store, Analyser: effect.System(), Confirmations: people, Store: store, Executor: nowhere{},
		Redactor: redactor, Now: o.Now, NewID: secret.NewID, Node: node, Timeout: c.Timeout, OpenAsks: c.Approvals.OpenPerRun,
		Limits: canon.Limits{MaxBytes: c.Limits.ArgumentBytes, MaxDepth: c.Limits.Depth},
	})
	if err != nil {
		return nil, err
	}
	return desk.New(desk.Config{
		Gate: gate, Book: book, Run: func(s tv.Subject) tv.Run { return run(c, s) }, Environment: c.Env,
		Workspace: l.Workspace(), Wait: c.Hooks.Wait, Approve: approve(c), Defer: c.Hooks.Defer && o.Unattended, Now: o.Now, Log: o.Log,
	})
}

// approve says how people answer what a gate without a server asks.
func approve(c *config.Config) string {
	if c.File == "" {
		return "Nobody can approve under the built-in policy: the user runs the command, or writes a configuration (docs/hooks.md)."
	}
	return fmt.Sprintf("The user approves while 'toolverdict serve --config %s' runs: 'toolverdict approvals list --data %s'.", c.File, c.Data)
}

// run is what the configuration says of every run of a subject.
func run(c *config.Config, s tv.Subject) tv.Run {
	i := slices.IndexFunc(c.Subjects, func(known config.Subject) bool { return known.ID == s.ID })
	return tv.Run{ReadOnly: i < 0 || c.Subjects[i].ReadOnly}
}

// nowhere runs nothing: the agent runs its tools itself.
type nowhere struct{}

// Execute implements [tv.Executor].
func (nowhere) Execute(context.Context, tv.Permit) tv.Outcome {
	return tv.Outcome{Status: tv.NotSent, Code: tv.ToolError, Message: "the agent runs its tools itself"}
}
