// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package desk asks the gate about what coding agents tell their hooks, and tells
// the ledger what came of it. It decides nothing. Whatever goes wrong, a panic
// included, is the agent's own denial.
package desk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/ledger"
)

// Gate decides calls that the agent then runs itself: a *toolverdict.Gate.
type Gate interface {
	Check(ctx context.Context, p tv.Proposal) (tv.Permit, tv.Result, error)
	Report(ctx context.Context, p tv.Permit, o tv.Outcome) (tv.Result, error)
}

// Book takes outcomes that are told by another process than the one that asked: a
// *ledger.Book.
type Book interface {
	Report(ctx context.Context, l ledger.Late) error
}

// Config is what a desk is made of.
type Config struct {
	Gate        Gate
	Book        Book
	Run         func(s tv.Subject) tv.Run // what the host says of every run of a subject
	Environment map[string]string         // host facts of every call
	Workspace   string                    // the folder that agents work in, absolute
	Wait        time.Duration             // how long a call is held open while a person decides
	Approve     string                    // how a person answers, where that is not plain: a sentence for the user
	Defer       bool                      // nobody attends the run of Claude Code that asks: what a person has to approve pauses it
	Now         func() time.Time
	Log         *slog.Logger
}

// Desk is safe for concurrent use.
type Desk struct{ c Config }

// New checks the parts.
func New(c Config) (*Desk, error) {
	if c.Gate == nil || c.Book == nil || c.Run == nil || c.Log == nil || c.Now == nil || !filepath.IsAbs(c.Workspace) {
		return nil, errors.New("make the desk for hooks: every part is needed, and the workspace must be absolute")
	}
	return &Desk{c}, nil
}

// FactFolder is the host's fact that names the folder in which a tool starts.
const FactFolder = "cwd"

// FactType is the host's fact that names what kind of helper of the agent calls.
const FactType = "agent_type"

// Door is the front door of an agent's hook.
func Door(a hookgate.Agent) tv.Door { return tv.Door("hook-" + string(a)) }

// Answer answers one input of an agent's hook with one of the two answers that
// there are, or a deferral where [Config] says so. The error says that a part of the gate was at fault, or that the
// input was not one: the answer is then a denial.
func (d *Desk) Answer(ctx context.Context, a hookgate.Agent, by tv.Subject, input []byte) (answer []byte, fault error) {
	defer func() {
		if v := recover(); v != nil {
			fault = fmt.Errorf("answer hook: panic: %v", v)
			answer = hookgate.Denial(a, "Toolverdict failed on this call, so it must not run. Tell the user.")
		}
	}()
	e, err := hookgate.Read(a, input)
	if err != nil {
		return d.unreadable(ctx, a, by, input, err)
	}
	if e.Phase == hookgate.After {
		d.after(ctx, a, by, &e)
		return hookgate.NoObjection(), nil
	}
	if why := d.astray(a, &e); why != "" {
		return hookgate.Denial(a, why), errors.New(why)
	}
	return d.before(ctx, a, by, &e)
}

// unreadable has the gate refuse and record what is no input of a hook: it stands
// for the arguments of a tool that there is not.
func (d *Desk) unreadable(ctx context.Context, a hookgate.Agent, by tv.Subject, input []byte, why error) ([]byte, error) {
	_, _, err := d.c.Gate.Check(ctx, tv.Proposal{
		Door: Door(a), Tool: string(a) + "/?", Arguments: input, Subject: by, Run: d.c.Run(by), Environment: d.c.Environment,
	})
	return hookgate.Denial(a, "Toolverdict: "+why.Error()), errors.Join(why, err)
}

// astray refuses a session in another folder than the workspace, where the agent
// would run calls unasked once its folder is moved away: only the workspace is
// protected from that.
func (d *Desk) astray(a hookgate.Agent, e *hookgate.Event) string {
	if a.MovesAlone() || e.Home != "" && same(e.Home, d.c.Workspace) {
		return ""
	}
	return fmt.Sprintf("Toolverdict guards %s in the folder %s. Tell the user to start it there, or to set the hook up for this folder.", a, d.c.Workspace)
}

func same(folder, workspace string) bool {
	return folder == workspace || hookgate.Resolved(folder) == hookgate.Resolved(workspace)
}

func (d *Desk) before(ctx context.Context, a hookgate.Agent, by tv.Subject, e *hookgate.Event) ([]byte, error) {
	permit, res, err := d.c.Gate.Check(ctx, tv.Proposal{
		Door: Door(a), ID: e.Call, Tool: e.Tool, Arguments: e.Arguments, Subject: by, Model: e.Model, Run: d.c.Run(by), Session: e.Session,
		Environment: d.facts(e), Wait: d.patience(ctx), Handle: tv.Handle(Door(a), by, e.Session, e.Call),
	})
	switch {
	case res.Success && permit.Valid() && res.Edited != nil:
		return d.edited(ctx, a, permit, &res)
	case res.Success && permit.Valid() && err == nil:
		return hookgate.NoObjection(), nil
	case res.Success && !permit.Valid():
		return hookgate.Denial(a, "Toolverdict: this very call ran once already, and is not run again. Go on with what it did."), err
	case e.Again && res.Error != nil && res.Error.Code == tv.InProgress && err == nil:
		return hookgate.NoObjection(), nil // the event before this one has the leave for it
	case d.c.Defer && err == nil && paused(a, e, &res):
		return hookgate.Deferral(d.refusal(&res, e.Tool)), nil
	case res.Error == nil:
		return hookgate.Denial(a, "Toolverdict could not decide this call, so it must not run. Tell the user."), errors.Join(err, errors.New("answer hook: the gate gave neither leave nor refusal"))
	case err == nil && res.Error.Code == tv.GateUnavailable:
		err = errors.New("answer hook: " + res.Error.Error())
	}
	return hookgate.Denial(a, d.refusal(&res, e.Tool)), err
}

// paused reports whether the run is to end until a person has answered. A helper's could
// not be resumed.
func paused(a hookgate.Agent, e *hookgate.Event, res *tv.Result) bool {
	return a == hookgate.ClaudeCode && !e.Synthetic && e.Subagent.ID == "" &&
		res.Error != nil && res.Error.Code == tv.ConfirmationRequired && res.Confirmation != nil
}

// edited refuses a call that an approver changed: the agent would run what it
// proposed, not what was approved.
func (d *Desk) edited(ctx context.Context, a hookgate.Agent, p tv.Permit, res *tv.Result) ([]byte, error) {
	_, err := d.c.Gate.Report(ctx, p, tv.Outcome{Status: tv.NotSent, Code: tv.ToolError, Message: "the agent cannot run a call that an approver changed"})
	said := make([]string, 0, len(res.Edited.Changes))
	for _, c := range res.Edited.Changes {
		said = append(said, fmt.Sprintf("%s: %s", c.Path, c.After))
	}
	return hookgate.Denial(a, "Toolverdict: the approver changed this call and it did not run. Make it anew with "+strings.Join(said, ", ")+", if that still serves the user."), err
}

// facts are the host's facts of one call.
func (d *Desk) facts(e *hookgate.Event) map[string]string {
	facts := maps.Clone(d.c.Environment)
	if facts == nil {
		facts = map[string]string{}
	}
	delete(facts, FactFolder)
	delete(facts, FactType)
	if e.Folder != "" {
		facts[FactFolder] = d.spelt(e.Folder)
	}
	if e.Subagent.Type != "" {
		facts[FactType] = e.Subagent.Type
	}
	return facts
}

// spelt writes a folder below the workspace as the workspace is written, so that
// rules about it match: the agent may tell it with the links resolved.
func (d *Desk) spelt(folder string) string {
	root, to := hookgate.Resolved(d.c.Workspace), hookgate.Resolved(folder)
	if rest, ok := strings.CutPrefix(to, root); ok && (rest == "" || rest[0] == '/') {
		return filepath.Join(d.c.Workspace, rest)
	}
	return folder
}

// margin is what is left of a call's time to write its answer.
const margin = 2 * time.Second

// patience is how long the call may wait for a person within its own time.
func (d *Desk) patience(ctx context.Context) time.Duration {
	wait := d.c.Wait
	if until, bounded := ctx.Deadline(); bounded {
		wait = min(wait, until.Sub(d.c.Now())-margin)
	}
	return max(wait, 0)
}

// after tells the ledger. The tool has run: there is nothing to object to, and the
// agent needs no word of what the ledger could not write.
func (d *Desk) after(ctx context.Context, a hookgate.Agent, by tv.Subject, e *hookgate.Event) {
	o := tv.Outcome{Status: tv.Succeeded}
	if e.Failed {
		o = tv.Outcome{Status: tv.Failed, Code: tv.ToolError}
	}
	err := d.c.Book.Report(ctx, ledger.Late{Door: Door(a), By: by, Session: e.Session, Call: e.Call, Outcome: o})
	switch {
	case err == nil:
	case errors.Is(err, tv.ErrNotFound): // it only read, was never asked about, or was reported already
		d.c.Log.Debug("outcome of no call that is open", "door", Door(a))
	default:
		d.c.Log.Error("outcome is not recorded", "door", Door(a), "error", err)
	}
}

// refusal says why a call is refused and what to do next, in the words of the
// gate, which hold no secret.
func (d *Desk) refusal(res *tv.Result, tool string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Toolverdict: %s: %s", res.Error.Code, res.Error.Message)
	switch rule := res.Decision.Rule; {
	case rule != "" && !strings.Contains(res.Error.Message, rule):
		fmt.Fprintf(&b, " (rule %s).", rule)
	case res.Error.Code == tv.UnknownTool: // for the person who has to describe it
		fmt.Fprintf(&b, " The gate knows it by no catalog: %s.", tool)
	}
	if res.Error.Code == tv.ConfirmationRequired && res.Confirmation != nil {
		b.WriteString(" Tell the user, then run the same call again after approval.")
		if d.c.Approve != "" {
			b.WriteString(" " + d.c.Approve)
		}
		return b.String()
	}
	if next := res.Error.RecommendedAction; next != "" {
		fmt.Fprintf(&b, " %s", next)
	}
	return b.String()
}
