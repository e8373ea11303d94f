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

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/approval/fatigue"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/httpgate"
	"github.com/toolverdict/toolverdict/httpgate/runs"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/console"
	"github.com/toolverdict/toolverdict/internal/console/activity"
	"github.com/toolverdict/toolverdict/internal/console/overview"
	"github.com/toolverdict/toolverdict/internal/console/rules"
	"github.com/toolverdict/toolverdict/internal/console/session"
	"github.com/toolverdict/toolverdict/internal/daemon/channels"
	"github.com/toolverdict/toolverdict/internal/daemon/pages"
	"github.com/toolverdict/toolverdict/internal/daemon/pins"
	"github.com/toolverdict/toolverdict/internal/daemon/records"
	"github.com/toolverdict/toolverdict/internal/daemon/rooms"
	"github.com/toolverdict/toolverdict/internal/daemon/subjects"
	"github.com/toolverdict/toolverdict/internal/execute"
	"github.com/toolverdict/toolverdict/internal/grants"
	"github.com/toolverdict/toolverdict/internal/identity"
	"github.com/toolverdict/toolverdict/internal/metrics"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
	"github.com/toolverdict/toolverdict/internal/switches"
	"github.com/toolverdict/toolverdict/ledger"
	"github.com/toolverdict/toolverdict/mcpgate"
)

// Options are what a start needs besides the file.
type Options struct {
	Config  *config.Config
	Version string // of this program
	BaseURL string // where people reach the gate, where the file does not say
	Only    string // serve this one of the upstreams; "" means all of them
	Observe bool   // whoever starts it knows that the configuration says mode: observe
	Log     *slog.Logger
	Getenv  func(string) (string, bool)
	Now     func() time.Time
}

// Daemon is a gate with everything it is made of. Its parts are safe for
// concurrent use.
type Daemon struct {
	Options
	parts
	catalogs

	stop    context.CancelFunc
	work    sync.WaitGroup
	console http.Handler
	made    []subjects.Made // passwords of an example
	settled chan struct{}   // closed when every upstream was asked once
}

// parts are what a gate is made of, in the order in which they are made.
type parts struct {
	node     string
	store    *sqlite.Store
	secrets  *subjects.Secrets
	redactor *redact.Redactor
	people   *identity.Set
	answers
	book      *ledger.Book
	meter     *metrics.Meter
	upstreams []*upstream
	locals    []*upstream // whose tools callers run themselves
	gate      *tv.Gate
	fronts
}

// fronts are where callers and people come in.
type fronts struct {
	mcp      *mcpgate.Front
	channels *channels.Channels
	api      *httpgate.Front
	runs     *runs.Book
}

// answers are what people said, or are asked to say.
type answers struct {
	desk   *approval.Desk
	grants *grants.Service
}

// Open assembles a gate and starts what runs beside it. Upstreams are asked for
// their tools in the background; see [Daemon.Ready].
func Open(ctx context.Context, o Options) (*Daemon, error) {
	if err := checkMode(&o); err != nil {
		return nil, err
	}
	d := &Daemon{Options: o, parts: parts{node: secret.NewID()}, settled: make(chan struct{})}
	for _, step := range []struct {
		name string
		make func(context.Context) error
	}{
		{"open data folder", d.newStore},
		{"read secrets", d.newSecrets},
		{"make redactor", d.newRedactor},
		{"read subjects", d.newPeople},
		{"open approval desk", d.newDesk},
		{"open ledger", d.newBook},
		{"configure upstreams", d.newUpstreams},
		{"load catalog and policy", d.newPolicies},
		{"say what is not enforced", d.sayMode},
		{"open grants", d.newGrants},
		{"make metrics", d.newMeter},
		{"make gate", d.newGate},
		{"make MCP front", d.newMCP},
		{"open channels", d.newChannels},
		{"open runs", d.newRuns},
		{"make HTTP front", d.newHTTP},
		{"make console", d.newConsole},
	} {
		if err := step.make(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", step.name, err), d.Close())
		}
	}
	for _, hint := range o.Config.Hints(exec.LookPath) {
		d.Log.Warn("the configuration has a gap", "hint", hint.Error())
	}
	d.start()
	return d, nil
}

// checkMode wants mode: observe to be said twice, in the file and by whoever
// starts the gate: neither a file that was changed nor a flag that was copied
// may switch rules off alone. From then on every line of the log says it.
func checkMode(o *Options) error {
	switch observe := o.Config.Mode == config.ModeObserve; {
	case observe && !o.Observe:
		return o.Config.Problem("mode: observe enforces no rule: start the gate with --observe, too, or write mode: enforce")
	case o.Observe && !observe:
		return o.Config.Problem("--observe is given and the configuration does not say mode: observe: leave the flag out, or write it there")
	case observe:
		o.Log = o.Log.With("mode", "observe: rules are not enforced")
	}
	return nil
}

// sayMode leaves word of a gate that enforces no rules, in the log and in the
// audit log.
func (d *Daemon) sayMode(ctx context.Context) error {
	if d.Config.Mode != config.ModeObserve {
		return nil
	}
	d.Log.Warn("this gate only observes: what rules deny or ask about is let through and recorded")
	record := tv.Record{Kind: tv.RecordAdmin, At: d.Now(), Detail: "started in mode observe: the policy's verdicts are recorded and not enforced"}
	return d.store.Commit(ctx, tv.Changes{Records: []tv.Record{record}})
}

func (d *Daemon) newStore(ctx context.Context) (err error) {
	d.store, err = sqlite.Open(ctx, sqlite.Config{Dir: d.Config.Data, Node: d.node, Now: d.Now})
	return err
}

func (d *Daemon) newSecrets(context.Context) (err error) {
	d.secrets, err = subjects.ReadSecrets(d.Config, d.Only, d.Getenv)
	return err
}

func (d *Daemon) newRedactor(context.Context) (err error) {
	d.redactor, err = newRedactor(d.Config.Data, d.secrets.Held())
	return err
}

func newRedactor(data string, held []string) (*redact.Redactor, error) {
	key, err := secret.OwnKey(data, secret.RedactionKey)
	if err != nil {
		return nil, err
	}
	return redact.New(redact.Config{Key: key, Held: held})
}

func (d *Daemon) newPeople(context.Context) (err error) {
	d.people, err = subjects.Read(d.Config, d.secrets)
	return err
}

func (d *Daemon) newDesk(context.Context) (err error) {
	a := d.Config.Approvals
	d.desk, err = approval.New(approval.Config{
		Store: d.store, Now: d.Now, NewID: secret.NewID, Text: d.redactor.Text,
		Approvers: a.Approvers, Pending: a.Pending, Use: a.Use,
	})
	return err
}

func (d *Daemon) newBook(ctx context.Context) (err error) {
	d.book, err = ledger.New(ledger.Config{Store: d.store, Now: d.Now, Text: d.redactor.Text})
	if err != nil {
		return err
	}
	n, err := d.book.Recover(ctx)
	if n > 0 {
		d.Log.Warn("calls were under way when a gate process ended: their outcome is unknown", "calls", n)
	}
	return err
}

// clerk is the ledger for people, who may have a tool asked.
func (d *Daemon) clerk() *ledger.Clerk {
	return &ledger.Clerk{Book: d.book, Gate: d.gate, Run: d.run, Environment: d.Config.Env}
}

func (d *Daemon) newGrants(context.Context) (err error) {
	g := d.Config.Grants
	d.grants, err = grants.New(grants.Config{
		Store: d.store, Desk: d.desk, Snapshots: &d.now, Analyser: effect.System(), Redactor: d.redactor, Now: d.Now, NewID: secret.NewID,
		Off: g.Off, Longest: g.Longest, MostUses: g.Uses,
	})
	return err
}

func (d *Daemon) newMeter(context.Context) (err error) {
	d.meter, err = metrics.New(metrics.Config{Policy: d.policyFigures, Pending: d.pendingApprovals, Rules: d.ruleFigures, Log: d.Log})
	return err
}

func (d *Daemon) pendingApprovals(ctx context.Context) (int, error) {
	return d.store.Pending(ctx, d.Now())
}

// fatigue tells how people answer what rules ask.
func (d *Daemon) fatigue(ctx context.Context, since time.Time) (any, error) {
	return fatigue.Read(ctx, d.store, fatigue.Window{Since: since, At: d.Now()})
}

// ruleFigures are the same for a monitor, which asks often: of fewer approvals.
func (d *Daemon) ruleFigures(ctx context.Context) ([]metrics.Rule, error) {
	const days, most = 30 * 24 * time.Hour, 2000
	now := d.Now()
	report, err := fatigue.Read(ctx, d.store, fatigue.Window{Since: now.Add(-days), At: now, Most: most})
	out := make([]metrics.Rule, len(report.Rules))
	for i, r := range report.Rules {
		answered := r.Approved + r.Rejected
		out[i] = metrics.Rule{Rule: r.Rule, Ended: answered + r.Unanswered, Answered: answered, Rate: r.Rate, Median: r.Median, Noise: r.Noise}
	}
	return out, err
}

func (d *Daemon) policyFigures(ctx context.Context) (metrics.Policy, error) {
	s, err := d.policies.Status(ctx)
	if err != nil {
		return metrics.Policy{}, err
	}
	return metrics.Policy{
		Version: s.Active.Version, Hash: s.Active.Hash, Source: s.Active.Origin, Since: s.Active.At, Mode: d.Config.Mode,
		Failed: s.Refused != nil, Failures: d.policies.Refusals(),
	}, nil
}

func (d *Daemon) newGate(context.Context) (err error) {
	router := execute.Router{}
	for _, u := range d.upstreams {
		router[u.name] = u.peer
	}
	for _, u := range d.locals {
		router[u.name] = execute.Elsewhere{}
	}
	d.gate, err = tv.New(d.drill(tv.Config{
		Snapshots: &d.now, Choices: d.store, Analyser: effect.System(), Confirmations: d.desk, Grants: d.grants, Store: d.meter.Count(d.store), Executor: router,
		Redactor: d.redactor, Now: d.Now, NewID: secret.NewID, Node: d.node,
		Limits: limits(d.Config.Limits), Timeout: d.Config.Timeout, Observe: d.Config.Mode == config.ModeObserve,
		OpenAsks: d.Config.Approvals.OpenPerRun,
	}))
	return err
}

func (d *Daemon) newMCP(context.Context) error {
	if len(d.upstreams) == 0 {
		return nil
	}
	key, err := secret.OwnKey(d.Config.Data, secret.SealKey)
	if err != nil {
		return err
	}
	servers := make([]mcpgate.Server, len(d.upstreams))
	for i, u := range d.upstreams {
		servers[i] = mcpgate.Server{
			Name: u.name, Backend: u.backend, ReadOnly: u.conf.ReadOnly,
			Isolated: len(u.conf.Command) > 0 && !u.conf.Shared, // a process for each subject
		}
	}
	d.mcp, err = mcpgate.New(mcpgate.Config{
		Gate: d.gate, Desk: d.desk, Tools: &d.now, Redactor: d.redactor, Servers: servers,
		Authenticate: d.people.Authenticate, Key: key, Now: d.Now, Run: d.run, Log: d.Log,
		Changed: d.changed, BaseURL: d.baseURL(), Hosts: d.hosts(), Environment: d.Config.Env, Hold: d.Config.Approvals.Hold,
		MaxMessage: max(4<<20, d.Config.Limits.ArgumentBytes+1<<20),
	})
	return err
}

func (d *Daemon) newChannels(context.Context) (err error) {
	d.channels, err = channels.Open(channels.Parts{
		Config: d.Config, Secret: d.secrets.Value, Store: d.store, Desk: d.desk, People: d.people, Text: d.redactor.Text,
		BaseURL: d.baseURL(), Now: d.Now, Log: d.Log,
	})
	return err
}

// switches is where people switch tools off and on.
func (d *Daemon) switches() switches.Board {
	return switches.Board{Store: d.store, Now: d.Now, Known: func(tool string) bool {
		_, listed := d.now.Tool(tool)
		_, held := d.now.Quarantined(tool)
		return listed || held
	}}
}

// newConsole makes the pages for people.
func (d *Daemon) newConsole(context.Context) (err error) {
	log := records.Log{Store: d.store}
	rooms, err := d.newRooms(log)
	if err != nil {
		return err
	}
	d.console, d.made, err = pages.Open(pages.Parts{
		Config: d.Config, Known: d.people,
		Sessions: session.Config{Shelf: d.store, Now: d.Now, Log: d.Log, Hosts: d.hosts(), BaseURL: d.baseURL()},
		Console: console.Config{
			Acts: console.Acts{Book: d.clerk(), Editor: d.gate, Grants: grants.Front{Service: d.grants}},
			Desk: d.desk, Log: log, Links: channels.Linker{In: d.channels}, Rooms: rooms,
			Tool: d.now.Tool,
		},
	})
	return err
}

// newRooms makes the pages that are packages of their own.
func (d *Daemon) newRooms(log records.Log) ([]console.Room, error) {
	calls, err := activity.New(activity.Config{Log: log, Approval: d.desk.Get, Tool: d.now.Tool, Reasons: d.now.reasons})
	if err != nil {
		return nil, err
	}
	figures, err := overview.New(overview.Config{
		Find: log.Find, Waiting: d.pendingApprovals, Unknown: d.book.List, Channels: d.channels.Status,
		Answers: func(ctx context.Context) (fatigue.Report, error) {
			now := d.Now()
			return fatigue.Read(ctx, d.store, fatigue.Window{Since: now.Add(-answersBack), At: now, Most: mostAnswers})
		},
	})
	if err != nil {
		return nil, err
	}
	return []console.Room{calls, figures, d.toolRoom(), rules.Room{Policies: d.policies, Loaded: d.now.loaded, Log: log}}, nil
}

// toolRoom is the console's pages about tools.
func (d *Daemon) toolRoom() console.Room {
	report := func() catalog.Report { return d.now.p.Load().tools }
	return rooms.Tools(rooms.Parts{
		Desk:  pins.Desk{Store: d.store, Report: report, Again: d.rebuild, Now: d.Now},
		Board: d.switches(), Config: d.Config, Subjects: d.people.Of, Run: d.run,
		Tools: func() []*tv.Tool { return d.now.p.Load().catalog.Tools() }, Rules: d.now.rulesOf,
	})
}

// Bounds of what the overview tells of how people answer.
const (
	answersBack = 30 * 24 * time.Hour
	mostAnswers = 2000
)

// Made returns the passwords of an example, for whoever starts it.
func (d *Daemon) Made() []subjects.Made { return d.made }

// run is what the configuration says of every run of a subject. Of a subject
// that it does not know, it lets nothing but reading happen.
func (d *Daemon) run(s tv.Subject) tv.Run {
	i := slices.IndexFunc(d.Config.Subjects, func(c config.Subject) bool { return c.ID == s.ID })
	return tv.Run{ReadOnly: i < 0 || d.Config.Subjects[i].ReadOnly}
}

func (d *Daemon) baseURL() string {
	if d.Config.Approvals.BaseURL != "" {
		return d.Config.Approvals.BaseURL
	}
	return d.BaseURL
}

// Close ends everything in the order in which nothing is cut off: calls have
// ended by now, then the upstreams, then the store with its last checkpoint.
func (d *Daemon) Close() error {
	if d.stop != nil {
		d.stop()
	}
	d.work.Wait()
	var errs []error
	for _, u := range d.upstreams {
		if err := u.close(); err != nil {
			errs = append(errs, fmt.Errorf("close upstream %q: %w", u.name, err))
		}
	}
	if d.store != nil {
		errs = append(errs, d.store.Close())
	}
	return errors.Join(errs...)
}

// readFile is os.ReadFile with a bound, for files that operators write.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s is larger than %d bytes: split it", path, maxFile)
	}
	return os.ReadFile(path)
}

const maxFile = 8 << 20

func limits(l config.Limits) canon.Limits {
	return canon.Limits{MaxBytes: l.ArgumentBytes, MaxDepth: l.Depth}
}

// NewKey makes an API key: the key itself, for its owner, and what is written
// into a configuration.
func NewKey() (key, hash string, err error) { return subjects.NewKey() }
