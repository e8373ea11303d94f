// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/guardtest"
)

// plain is the shortest door: a function.
func plain(_ *testing.T, g guard.Guard, run guardtest.Tool) guardtest.Ask {
	return func(t *testing.T, calls ...guard.Call) []string {
		t.Helper()
		told := make([]string, len(calls))
		for i, c := range calls {
			out, refused := guard.Do(t.Context(), g, c, func(ctx context.Context, arguments []byte) (string, error) {
				return run(ctx, c.Tool, arguments)
			})
			if told[i] = out; refused != nil {
				told[i] = refused.Text()
			}
		}
		return told
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	guardtest.Run(t, plain)
}

// What the caller's context does never leaves an outcome open.
func TestAnEndedContext(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	for name, c := range map[string]struct {
		before bool
		want   tv.Code
		ran    int
	}{
		"before the call": {true, tv.GateUnavailable, 0},
		"during the call": {false, tv.OutcomeUnknown, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.before {
				cancel()
			}
			ran := 0
			_, refused := guard.Do(ctx, gate.Guard(), guard.Call{Tool: guardtest.Allowed}, func(ctx context.Context, _ []byte) (string, error) {
				ran++
				cancel()
				<-ctx.Done()
				return "", ctx.Err()
			})
			if refused == nil || refused.Code() != c.want || ran != c.ran {
				t.Errorf("%v, ran %d times, want %s after %d", refused, ran, c.want, c.ran)
			}
		})
	}
}

// A tool that has the framework call it again later keeps its own error, which
// no model is shown.
func TestTheFunctionsErrorIsKept(t *testing.T) {
	t.Parallel()
	own := errors.New("own")
	_, refused := guard.Do(t.Context(), guardtest.NewGate(t).Guard(), guard.Call{Tool: guardtest.Allowed}, func(context.Context, []byte) (int, error) {
		return 0, own
	})
	if refused == nil || !errors.Is(refused, own) || refused.Code() != tv.ToolError {
		t.Errorf("got %v", refused)
	}
}

// A function that did nothing says so: nothing changed, and the call may be made
// again.
func TestNothingWasDone(t *testing.T) {
	t.Parallel()
	g := guardtest.NewGate(t).Guard()
	c := guard.Call{Tool: guardtest.Allowed, Key: "act-1"}
	_, refused := guard.Do(t.Context(), g, c, func(context.Context, []byte) (string, error) {
		return "", fmt.Errorf("%w: too many digits", guard.ErrNotRun)
	})
	if refused == nil || refused.Code() != tv.ToolError || refused.StateChanged != tv.Unchanged || !strings.Contains(refused.Text(), "too many digits") {
		t.Errorf("got %+v", refused)
	}
	out, refused := guard.Do(t.Context(), g, c, func(context.Context, []byte) (string, error) { return "done", nil })
	if refused != nil || out != "done" {
		t.Errorf("again: %q, %v", out, refused)
	}
}

// An answer that JSON cannot hold came of a call that was run: it is not tried
// again as if it had failed.
func TestAnAnswerThatCannotBeKept(t *testing.T) {
	t.Parallel()
	_, refused := guard.Do(t.Context(), guardtest.NewGate(t).Guard(), guard.Call{Tool: guardtest.Allowed}, func(context.Context, []byte) (func(), error) {
		return func() {}, nil
	})
	if refused == nil || refused.Code() != tv.OutcomeUnknown {
		t.Errorf("got %v", refused)
	}
}

// saying is a source that gives no leave and says anything.
type saying struct{ res tv.Result }

func (s saying) Claim(context.Context, guard.Call) (guard.Leave, tv.Result, error) {
	return nil, s.res, nil
}

// Success without leave is an answer only where it is one of an earlier run.
func TestSuccessIsNoLeave(t *testing.T) {
	t.Parallel()
	for name, res := range map[string]tv.Result{
		"nothing":         {},
		"success":         {Success: true, Content: []byte(`"x"`)},
		"allow, no leave": {Success: true, Decision: tv.Decision{Verdict: tv.Allow}},
		"not to be read":  {Success: true, Replayed: true, Content: []byte(`5`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, refused := guard.Do(t.Context(), guard.Guard{Source: saying{res}}, guard.Call{Tool: "a/b"}, func(context.Context, []byte) (string, error) {
				t.Error("it ran")
				return "", nil
			})
			if refused == nil || out != "" {
				t.Errorf("got %q, %v", out, refused)
			}
		})
	}
}

// odd is leave whose outcome is answered by something else than a gate.
type odd struct {
	guard.Source

	res tv.Result
}

func (s odd) Claim(ctx context.Context, c guard.Call) (guard.Leave, tv.Result, error) {
	leave, res, err := s.Source.Claim(ctx, c)
	return oddLeave{leave, s.res}, res, err
}

type oddLeave struct {
	guard.Leave

	res tv.Result
}

func (l oddLeave) Report(context.Context, tv.Outcome) (tv.Result, error) { return l.res, nil }

// What answers an outcome and says neither that it is well nor why not leaves the
// model with what is certain: the tool ran, or it did not.
func TestOutcomesThatAreAnsweredOddly(t *testing.T) {
	t.Parallel()
	failed := &tv.Refusal{Code: tv.ToolError}
	for name, c := range map[string]struct {
		res  tv.Result
		err  error
		want tv.Code
	}{
		"nothing":               {tv.Result{}, nil, tv.OutcomeUnknown},
		"nothing of a failure":  {tv.Result{}, errors.New("own"), tv.OutcomeUnknown},
		"both":                  {tv.Result{Success: true, Error: failed}, nil, tv.OutcomeUnknown},
		"success of a failure":  {tv.Result{Success: true}, errors.New("own"), tv.OutcomeUnknown},
		"nothing of what never": {tv.Result{}, guard.ErrNotRun, tv.ToolError},
		"a refusal":             {tv.Result{Error: failed}, nil, tv.ToolError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := guardtest.NewGate(t).Guard()
			g.Source = odd{g.Source, c.res}
			_, refused := guard.Do(t.Context(), g, guard.Call{Tool: guardtest.Allowed}, func(context.Context, []byte) (string, error) { return "done", c.err })
			if refused == nil || refused.Code() != c.want || (c.want == tv.OutcomeUnknown) != (refused.StateChanged == tv.MaybeChange) {
				t.Errorf("got %+v", refused)
			}
		})
	}
}

// late is leave whose time is over.
type late struct{ guard.Source }

func (l late) Claim(ctx context.Context, c guard.Call) (guard.Leave, tv.Result, error) {
	leave, res, err := l.Source.Claim(ctx, c)
	return lateLeave{leave}, res, err
}

type lateLeave struct{ guard.Leave }

func (l lateLeave) Terms() guard.Terms {
	t := l.Leave.Terms()
	t.Deadline = time.Unix(0, 0)
	return t
}

func TestLeaveThatIsOver(t *testing.T) {
	t.Parallel()
	g := guardtest.NewGate(t).Guard()
	g.Source = late{g.Source}
	_, refused := guard.Do(t.Context(), g, guard.Call{Tool: guardtest.Allowed}, func(context.Context, []byte) (string, error) {
		t.Error("it ran")
		return "", nil
	})
	if refused == nil || refused.Code() != tv.ToolTimeout {
		t.Errorf("got %v", refused)
	}
}

// A function that pauses goes on under the approval that its first leg used.
func TestAPausedCall(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	c := guard.Call{Tool: guardtest.Asked, Arguments: []byte(`{}`)}
	legs := 0
	leg := func(c guard.Call) (string, *guard.Refused) {
		return guard.Do(t.Context(), gate.Guard(), c, func(context.Context, []byte) (string, error) {
			if legs++; legs == 1 {
				return "how many? " + guardtest.Secret, fmt.Errorf("own: %w", guard.ErrPaused)
			}
			return "done", nil
		})
	}
	_, asked := leg(c)
	info, waits := asked.Waiting()
	if !waits {
		t.Fatalf("got %v", asked)
	}
	gate.Approve(t.Context(), info.ID)
	c.Confirmation = info.ID
	out, paused := leg(c)
	if paused == nil || !paused.Paused || paused.Resume == "" || out != "how many? [HIDDEN]" || !errors.Is(paused, guard.ErrPaused) {
		t.Fatalf("got %q, %+v", out, paused)
	}
	c.Confirmation, c.Continues = "", "digest:made-up"
	if _, r := leg(c); r == nil || r.Code() != tv.ConfirmationInvalid {
		t.Errorf("a made-up one: %v", r)
	}
	c.Continues = paused.Resume
	if out, r := leg(c); r != nil || out != "done" || legs != 2 {
		t.Errorf("got %q, %v, %d legs", out, r, legs)
	}
	if _, r := leg(c); r == nil || legs != 2 {
		t.Errorf("it went on twice: %v, %d legs", r, legs)
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	off := gate.Source()
	off.Run.Disabled = []string{guardtest.Server + "/" + guardtest.Denied}
	for name, c := range map[string]struct {
		source                   guard.Source
		allowed, denied, missing bool
	}{
		"a gate":           {gate.Source(), true, true, false},
		"switched off":     {off, true, false, false},
		"no gate":          {guard.Local{}, false, false, false},
		"not to be asked":  {saying{}, true, true, true},
		"no source at all": {nil, true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := guard.Guard{Source: c.source, Server: guardtest.Server}.Shown(t.Context())
			got := []bool{shown(guardtest.Allowed), shown(guardtest.Denied), shown(guardtest.Missing)}
			if diff := cmp.Diff([]bool{c.allowed, c.denied, c.missing}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
