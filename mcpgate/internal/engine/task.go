// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate/internal/ladder"
)

// A call that waits for a person may be a task to its client. Nothing is kept for
// it: its id holds the approval's, sealed for the caller, so a client may come
// back for it after any restart, to any process with the same key and store.

// startTask answers a call that waits with a task, where the client takes one.
func (e *Engine) startTask(ctx context.Context, k *courier, res toolverdict.Result) ([]byte, bool) {
	c := res.Confirmation
	if e.Desk == nil || c == nil || res.Error == nil || res.Error.Code != toolverdict.ConfirmationRequired ||
		k.request.Method() != "tools/call" || !ladder.Of(k.request).Task {
		return nil, false
	}
	a, err := e.Desk.Get(ctx, k.caller.Subject, c.ID)
	if err != nil {
		e.Log.Error("read approval for a task", "server", e.server, "error", err)
		return nil, false
	}
	t := e.task(k.caller, &a)
	t.Message = e.explain(res)
	return t.Start(), true
}

// task is an approval as a task that still goes on.
func (e *Engine) task(c Caller, a *toolverdict.Approval) ladder.Task {
	return ladder.Task{
		ID: e.Tasks.Waiting(a.ID, e.taskOwner(c)...), Status: ladder.Working,
		Created: a.Created, Until: a.Expires, Updated: lastChange(a),
	}
}

func lastChange(a *toolverdict.Approval) time.Time {
	if n := len(a.Votes); n > 0 {
		return a.Votes[n-1].At
	}
	return a.Created
}

// ownTask reports whether a message is about a task that is an approval of this
// caller's.
func (e *Engine) ownTask(c Caller, m *mcpwire.Message) (approval string, ok bool) {
	switch m.Method() {
	case "tasks/get", "tasks/update", "tasks/cancel":
		return e.Tasks.Approval(m.Params().Get("taskId").Text(), e.taskOwner(c)...)
	}
	return "", false
}

// answerTask answers a client that comes back for a task.
func (e *Engine) answerTask(ctx context.Context, c Caller, m *mcpwire.Message, id string, out Outlet) {
	if m.Kind() != mcpwire.Request || e.Desk == nil || !ladder.Of(m).Task {
		_ = out.Answer(statusFor(m, http.StatusBadRequest), nil,
			mcpwire.ErrorResponse(m.ID(), mcpwire.CodeNoCapability, "Declare the extension for tasks with each request about one.", ladder.NoTasks()))
		return
	}
	a, err := e.standing(ctx, c, id)
	switch {
	case errors.Is(err, toolverdict.ErrNotFound):
		_ = out.Answer(statusFor(m, http.StatusBadRequest), nil, fault(m, mcpwire.CodeInvalidParams, "There is no such task."))
		return
	case err != nil:
		e.Log.Error("read approval of a task", "server", e.server, "error", err)
		_ = out.Answer(http.StatusOK, nil, fault(m, mcpwire.CodeInternal, "The task cannot be read now. Retry later."))
		return
	}
	body := ladder.Acknowledged() // of an update, too: a task of ours asks its client nothing
	switch m.Method() {
	case "tasks/get":
		t := e.task(c, &a)
		t.ID = m.Params().Get("taskId").Text() // the one it was given, also where an approver changed the call
		e.advance(ctx, c, m, &a, &t)
		body = t.Standing()
	case "tasks/cancel":
		// What cannot be taken back any more ends as it ends.
		if _, err := e.Desk.Cancel(ctx, c.Subject, a.ID, "its client cancelled the task"); err != nil {
			e.Log.Warn("a task could not be cancelled", "server", e.server, "error", err)
		}
	}
	_ = out.Answer(http.StatusOK, nil, mcpwire.ResultResponse(m.ID(), body))
}

// standing reads the approval that stands for a task now: an approver who changes
// the call puts another one in its place.
func (e *Engine) standing(ctx context.Context, c Caller, id string) (toolverdict.Approval, error) {
	const most = 100 // more than any call may be changed
	a, err := e.Desk.Get(ctx, c.Subject, id)
	for range most {
		if err != nil || a.ReplacedBy == "" {
			break
		}
		a, err = e.Desk.Get(ctx, c.Subject, a.ReplacedBy)
	}
	return a, err
}

// patient is how long a client that comes for an approved call is kept while that
// runs; a longer one is fetched when it comes again.
const patient = 5 * time.Second

// advance moves a task on: it makes the call once it is approved, and fetches
// what came of it.
func (e *Engine) advance(ctx context.Context, c Caller, m *mcpwire.Message, a *toolverdict.Approval, t *ladder.Task) {
	switch a.StateAt(e.Now()) {
	case toolverdict.ApprovalPending:
		t.Message = "Waits for a person: " + a.Card.Summary
		if link := e.link(a.ID); link != "" {
			t.Message += " It can be approved at " + link + " by somebody who may."
		}
	case toolverdict.ApprovalCancelled:
		t.Status = ladder.Cancelled
	case toolverdict.ApprovalApproved:
		e.runTask(ctx, c, m, a, t)
	default:
		res, err := e.Gate.Collect(ctx, e.taskProposal(c, m, a.ID))
		e.concludeTask(c, t, a, res, err)
	}
}

func (e *Engine) taskProposal(c Caller, m *mcpwire.Message, id string) toolverdict.Proposal {
	return toolverdict.Proposal{
		Door: c.Door, ID: strings.TrimPrefix(m.Key(), `"`), Subject: c.Subject, Run: c.Run, Confirmation: id,
		Environment: e.Environment, Trace: m.Meta().Get("traceparent").Text(),
	}
}

// runTask makes an approved call. It goes on when the client leaves: a client
// that only asks how things stand does not take the call back by going.
func (e *Engine) runTask(ctx context.Context, c Caller, m *mcpwire.Message, a *toolverdict.Approval, t *ladder.Task) {
	type ended struct {
		res toolverdict.Result
		err error
	}
	done := make(chan ended, 1)
	p := e.taskProposal(c, m, a.ID)
	p.Via = &taskCourier{courier{Engine: e, caller: c, request: m, out: nowhere{}}}
	go func() {
		defer func() { e.recovered(m, nowhere{}, recover()) }()
		res, err := e.Gate.Do(context.WithoutCancel(ctx), p)
		done <- ended{res, err}
	}()
	late := time.NewTimer(patient)
	defer late.Stop()
	select {
	case got := <-done:
		e.concludeTask(c, t, a, got.res, got.err)
	case <-late.C:
	case <-ctx.Done():
	}
}

// concludeTask puts what came of a call into its task.
func (e *Engine) concludeTask(c Caller, t *ladder.Task, a *toolverdict.Approval, res toolverdict.Result, err error) {
	if err != nil {
		e.Log.Error("gate fault", "server", e.server, "call", res.CallID, "error", err)
	}
	switch {
	case !res.Success && res.Error != nil && (res.Error.Code == toolverdict.InProgress || res.Error.Code == toolverdict.ConfirmationRequired):
		return // it is under way, or it is asked about anew
	case !res.Success && res.Error != nil && res.Error.Code == toolverdict.GateUnavailable:
		t.Message = e.explain(res) // the client comes again
		return
	}
	t.Status, t.Updated = ladder.Completed, e.Now()
	own := e.ownResult(a.Call.Tool, res)
	t.Result = e.Tasks.Out(own, e.taskOwner(c)...)
}

// ownResult is what a tools/call would have been answered with.
func (e *Engine) ownResult(tool string, res toolverdict.Result) []byte {
	switch {
	case res.Paused:
		res.Success, res.Error = false, &toolverdict.Refusal{Code: toolverdict.ToolError, Message: "The tool asked for more input, which a task cannot pass on."}
		res.Content = nil
	case res.Success:
		return replayed(res)
	}
	if v, ok := mcpwire.Root(res.Content); ok && v.Get("content").Kind() == canon.KindArray {
		return bytes.Clone(tellChanges(res.Content, res.Edited))
	}
	return e.refusal(tool, res)
}

// taskCourier makes the message for the server of the call that was approved.
type taskCourier struct{ courier }

// Execute implements [toolverdict.Executor].
func (t *taskCourier) Execute(ctx context.Context, p toolverdict.Permit) toolverdict.Outcome {
	unsent := toolverdict.Outcome{Status: toolverdict.NotSent, Code: toolverdict.ToolError, Message: "The message could not be made ready."}
	if !p.Valid() {
		return unsent
	}
	name, ours := strings.CutPrefix(p.Tool().Name(), t.server+"/")
	if !ours || mcpwire.IsMethod(name) {
		return unsent
	}
	m, err := ladder.ForServer(t.request, name, p.Arguments())
	if err != nil {
		t.Log.Error("make message of a task", "server", t.server, "error", err)
		return unsent
	}
	t.request, t.tool = m, p.Tool().Name()
	if t.caller.Header != nil {
		t.caller.Header = t.MirrorHeaders(m)
	}
	return t.courier.Execute(ctx, p)
}
