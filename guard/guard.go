// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Guard stands in front of functions. It may be copied; its zero value refuses
// every call.
type Guard struct {
	Source Source

	// Server is whose tools they are: with "shop", the framework's tool "refund"
	// is "shop/refund". With "" the framework's names must be full names.
	Server string

	Session string
	Wait    time.Duration // how long a call is held open while a person decides; 0 answers at once
	Log     *slog.Logger  // of faults; nil keeps none
}

// ErrPaused is what a function returns, wrapped or not, when it is not done: it
// wants more input and is to be called again. What it returns beside it says
// what it wants. See [Call.Continues].
var ErrPaused = errors.New("the tool wants more before it goes on")

// ErrNotRun is what a function returns, wrapped or not, when it did nothing, such
// as for arguments that it cannot take: the call may be made again.
var ErrNotRun = errors.New("the tool was not run")

// Do runs a function with leave of the gate, once, and returns its answer with
// secrets hidden. The answer is carried as JSON: T must be a type that JSON can
// hold and give back. A call that was run before gets the answer of then.
//
// The function is given the arguments that were decided and must use no others.
// If it returns an error its outcome is a failure; after a panic, or an end of
// the context, what came of it is unknown. A function that pauses has its answer
// returned beside a [Refused] that is Paused.
func Do[T any](ctx context.Context, g Guard, c Call, run func(ctx context.Context, arguments []byte) (T, error)) (T, *Refused) {
	var none T
	leave, res := g.claim(ctx, c)
	if leave == nil {
		return replayed[T](res)
	}
	out, o, cause := once(ctx, leave.Terms(), run)
	res, err := g.report(ctx, leave, o)
	switch {
	case err != nil || !res.Success:
		return none, &Refused{res, cause}
	case !bytes.Equal(res.Content, o.Content):
		var unread *Refused
		if out, unread = read[T](res); unread != nil {
			return none, unread
		}
	}
	if res.Paused {
		return out, &Refused{res, cause}
	}
	return out, nil
}

// replayed is the answer to a call that is not run now.
func replayed[T any](res tv.Result) (T, *Refused) {
	var none T
	if !res.Success {
		return none, &Refused{Result: res}
	}
	return read[T](res)
}

func read[T any](res tv.Result) (T, *Refused) {
	var out, none T
	if len(res.Content) == 0 {
		return none, nil
	}
	if err := json.Unmarshal(res.Content, &out); err != nil {
		r := refusal(tv.ToolError, res.StateChanged, "The call was run, and its answer cannot be shown.")
		r.CallID, r.Decision = res.CallID, res.Decision
		return none, &Refused{Result: r}
	}
	return out, nil
}

// once runs the function. Whatever it does, there is an outcome.
func once[T any](ctx context.Context, t Terms, run func(context.Context, []byte) (T, error)) (out T, o tv.Outcome, cause error) {
	ctx, cancel := context.WithDeadline(ctx, t.Deadline)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return out, tv.Outcome{Status: tv.NotSent, Code: tv.ToolTimeout, Message: "The caller went away, or the leave was over, before the tool was run."}, err
	}
	begin := now()
	defer func() {
		if v := recover(); v != nil {
			o = tv.Outcome{Code: tv.ToolError, Message: "The tool broke down."}
			cause = fmt.Errorf("run tool: panic: %v", v)
		}
		o.Took = now().Sub(begin)
	}()
	out, err := run(ctx, bytes.Clone(t.Arguments))
	status := tv.Succeeded
	switch {
	case errors.Is(err, ErrNotRun):
		return out, tv.Outcome{Status: tv.NotSent, Code: tv.ToolError, Message: err.Error()}, err
	case errors.Is(err, ErrPaused):
		status, cause = tv.Paused, err
	case err != nil && ctx.Err() != nil:
		return out, tv.Outcome{Code: tv.ToolTimeout, Message: "The tool did not end in time."}, err
	case err != nil:
		return out, tv.Outcome{Status: tv.Failed, Code: tv.ToolError, Message: err.Error()}, err
	}
	content, err := json.Marshal(out)
	if err != nil { // it did what it does: it must not be tried again as if it had not
		return out, tv.Outcome{Code: tv.ToolError, Message: "The tool ran, and its answer cannot be kept."}, err
	}
	return out, tv.Outcome{Status: status, Content: content}, cause
}

// claim asks for leave and holds it against what was asked for.
func (g Guard) claim(ctx context.Context, c Call) (leave Leave, res tv.Result) {
	defer func() {
		if v := recover(); v != nil {
			g.fault(ctx, fmt.Errorf("claim call: panic: %v", v))
			leave, res = nil, unavailable()
		}
	}()
	if g.Source == nil {
		g.fault(ctx, errors.New("claim call: the guard has no source"))
		return nil, unavailable()
	}
	c.Tool = g.Full(c.Tool)
	c.Session, c.Wait = g.Session, g.Wait
	leave, res, err := g.Source.Claim(ctx, c)
	if err != nil {
		g.fault(ctx, err)
	}
	if leave == nil {
		if res.Success && !res.Replayed { // it claims to be an answer, and nothing ran
			return nil, unavailable()
		}
		if !res.Success && res.Error == nil {
			return nil, unavailable()
		}
		return nil, res
	}
	if err = errors.Join(err, leave.Terms().cover(c)); err != nil {
		g.fault(ctx, err)
		_, _ = g.report(ctx, leave, tv.Outcome{Status: tv.NotSent, Code: tv.ToolError, Message: "The leave was not for this call."})
		return nil, unavailable()
	}
	return leave, res
}

// cover says why leave is none for the call, or nil. Answers may be swapped on
// their way, and words misspelt: neither may run anything.
func (t Terms) cover(c Call) error {
	switch {
	case t.Verdict != tv.Allow.String():
		return errors.New("claim call: the verdict is not allow")
	case t.Tool != c.Tool:
		return errors.New("claim call: the leave is for another tool")
	case t.Digest == "":
		return errors.New("claim call: the leave has no digest")
	case t.Edited:
		return nil
	}
	asked, err := canon.ParseArguments(c.Arguments, widest())
	if err != nil {
		return errors.New("claim call: there is leave for arguments that nobody could read")
	}
	given, err := canon.ParseArguments(t.Arguments, widest())
	if err != nil || !bytes.Equal(canon.Append(nil, asked), canon.Append(nil, given)) {
		return errors.New("claim call: the leave is for other arguments")
	}
	return nil
}

// widest reads whatever a gate may have read: its own limits are not known here.
func widest() canon.Limits {
	return canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth}
}

// patience bounds how long an outcome is tried to be told.
const patience = 15 * time.Second

// report tells an outcome, also when nobody listens any more.
func (g Guard) report(ctx context.Context, l Leave, o tv.Outcome) (res tv.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			res, err = untold(o), fmt.Errorf("report outcome: panic: %v", v)
		}
		if err != nil {
			g.fault(ctx, err)
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	res, err = l.Report(ctx, o)
	if err == nil && !answers(&res, o.Status) {
		err = errors.New("report outcome: the answer is none to this outcome")
	}
	if err != nil && (res.Error == nil || res.Success) {
		res = untold(o)
	}
	return res, err
}

// answers reports whether a result can be the answer to an outcome. Any JSON object
// reads as a result: one that says nothing is none, and neither is success where
// none was reported.
func answers(res *tv.Result, s tv.OutcomeStatus) bool {
	if !res.Success {
		return res.Error != nil
	}
	return res.Error == nil && (s == tv.Succeeded || s == tv.Paused)
}

// untold is what the model is told where nobody said what it may be told.
func untold(o tv.Outcome) tv.Result {
	if o.Status == tv.NotSent {
		return refusal(o.Code, tv.Unchanged, "The tool was not run.")
	}
	return lost()
}

// Full is the full name of a tool that the framework knows by another.
func (g Guard) Full(tool string) string {
	if g.Server == "" {
		return tool
	}
	return g.Server + "/" + tool
}

// Shown returns which tools a model may be shown, by the framework's names. It is
// a courtesy to the model: a tool that was not shown is refused all the same.
// Where the source knows nothing of it all are; where it cannot tell, none.
func (g Guard) Shown(ctx context.Context) func(tool string) bool {
	l, ok := g.Source.(Lister)
	if !ok {
		return func(string) bool { return true }
	}
	names, err := l.Visible(ctx)
	if err != nil {
		g.fault(ctx, err)
	}
	return func(tool string) bool { return slices.Contains(names, g.Full(tool)) }
}

func (g Guard) fault(ctx context.Context, err error) {
	if g.Log != nil {
		g.Log.ErrorContext(ctx, "guard a tool", "error", err)
	}
}
