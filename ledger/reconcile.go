// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Gate makes the call that asks: a *toolverdict.Gate.
type Gate interface {
	Do(ctx context.Context, p tv.Proposal) (tv.Result, error)
}

// Clerk looks after the ledger for people. Besides what a [Book] does, it has a
// tool asked what came of a call. It is safe for concurrent use, and all of its
// fields are required.
type Clerk struct {
	*Book

	Gate        Gate
	Run         func(s tv.Subject) tv.Run // what the host says of every run of a subject
	Environment map[string]string         // host facts of every call
}

// Doubt says why an outcome is unknown still after a tool was asked.
type Doubt string

// Doubts.
const (
	DoubtWaits      Doubt = "waits"      // a person must approve the call that asks first
	DoubtRefused    Doubt = "refused"    // the gate refused the call that asks
	DoubtTool       Doubt = "tool"       // the tool failed, or could not be reached
	DoubtStale      Doubt = "stale"      // the answer is an earlier one, which the ledger kept
	DoubtUnreadable Doubt = "unreadable" // the answer is not one JSON value
	DoubtNeither    Doubt = "neither"    // it tells neither, or both
	DoubtEarly      Doubt = "early"      // it tells that the call did not run, and the call may still be on its way
)

// Found is what came of asking. It is fit to be shown, but for Answer, which is
// the tool's own text without the gate's secrets.
type Found struct {
	State        tv.ClaimState   `json:"state"`           // of the entry now
	Doubt        Doubt           `json:"doubt,omitempty"` // where it is unknown still
	Detail       string          `json:"detail"`          // the evidence that was written down, or more of the doubt
	Tool         string          `json:"tool"`            // that was asked
	CallID       string          `json:"callId,omitempty"`
	Confirmation string          `json:"confirmation,omitempty"` // what the call that asks waits on
	Answer       json.RawMessage `json:"answer,omitempty"`       // left out where it is large
}

// ErrNoReconcile says that there is no call that could tell.
var ErrNoReconcile = errors.New("its tool has no reconcile call, or had none when the call was made: look for yourself, then settle it")

// Bounds of an answer, in bytes: what is read, and what is handed on.
const (
	maxAnswer = 1 << 20
	maxShown  = 64 << 10
)

// onItsWay is how long a lost call may still reach its tool, where the catalog
// does not say: only then does a tool that knows nothing of it mean that it did
// not run.
const onItsWay = 5 * time.Minute

// Reconcile asks what came of a call whose outcome is unknown, and settles it
// where the answer tells. The call that asks is one of the person's own: it goes
// the way of every call, in a read-only run, and is recorded as such.
func (c *Clerk) Reconcile(ctx context.Context, by tv.Subject, key string) (Found, error) {
	if by.Kind != tv.Person || !by.Authenticated() {
		return Found{}, fmt.Errorf("reconcile %q: %w: only a signed-in person can", key, ErrIncomplete)
	}
	entry, err := c.c.Store.Claim(ctx, key)
	switch {
	case err != nil:
		return Found{}, fmt.Errorf("reconcile %q: %w", key, err)
	case entry.State != tv.ClaimUnknown:
		return Found{}, fmt.Errorf("reconcile %q: %w: it is %s", key, ErrNotUnknown, entry.State)
	case entry.Reconcile == nil:
		return Found{}, fmt.Errorf("reconcile %q: %w", key, ErrNoReconcile)
	}
	run := c.Run(by)
	run.ReadOnly = true // whatever became of the tool since: asking changes nothing
	res, err := c.Gate.Do(ctx, tv.Proposal{
		Door: tv.DoorHTTP, Tool: entry.Reconcile.Tool, Arguments: entry.Reconcile.Call(), Subject: by, Run: run, Environment: c.Environment,
	})
	if err != nil {
		return Found{}, fmt.Errorf("reconcile %q: ask %q: %w", key, entry.Reconcile.Tool, err)
	}
	found := c.weigh(&entry, &res)
	found.Detail = plain.Mark(c.c.Text(cut(found.Detail)))
	if found.State == tv.ClaimUnknown {
		return found, nil
	}
	// By the epoch that was read before asking: an answer is about no other call.
	if err := c.write(ctx, entry, found.State, by, found.Detail); err != nil {
		return Found{}, fmt.Errorf("reconcile %q: %w", key, err)
	}
	return found, nil
}

// weigh says what a result means for an entry.
func (c *Clerk) weigh(entry *tv.Claim, res *tv.Result) Found {
	ask := entry.Reconcile
	out := Found{State: tv.ClaimUnknown, Tool: ask.Tool, CallID: res.CallID}
	doubt := func(d Doubt, format string, args ...any) Found {
		out.Doubt, out.Detail = d, fmt.Sprintf(format, args...)
		return out
	}
	if len(res.Content) <= maxShown {
		out.Answer = res.Content
	}
	if doubt, detail := unanswered(res); doubt != "" {
		out.Doubt, out.Detail = doubt, detail
		if res.Confirmation != nil {
			out.Confirmation = res.Confirmation.ID
		}
		return out
	}
	answer, err := read(res.Content)
	if err != nil {
		return doubt(DoubtUnreadable, "the answer cannot be read: %v", err)
	}
	ran, why := says(ask.Succeeded, answer)
	not, whyNot := says(ask.Failed, answer)
	patience := ask.FailedAfter
	if patience == 0 {
		patience = onItsWay
	}
	switch ready := entry.Updated.Add(patience); {
	case ran == not:
		return doubt(DoubtNeither, "the answer does not tell whether the call ran")
	case ran:
		out.State = tv.ClaimSucceeded
	case c.c.Now().Before(ready):
		return doubt(DoubtEarly, "the answer tells that the call did not run, but it may still be on its way: ask again after %s", ready.UTC().Format(time.RFC3339))
	default:
		out.State, why = tv.ClaimFailed, whyNot
	}
	sum := sha256.Sum256(res.Content)
	out.Detail = fmt.Sprintf("asked %s (call %s), whose answer has the SHA-256 %s: %s", ask.Tool, res.CallID, hex.EncodeToString(sum[:]), why)
	return out
}

// unanswered says why a result is no answer of the tool of now, or "".
func unanswered(res *tv.Result) (d Doubt, detail string) {
	switch r := res.Error; {
	case r != nil && r.Code == tv.ConfirmationRequired:
		return DoubtWaits, "a person must approve the call that asks; then ask again"
	case r != nil && (r.Code == tv.ToolError || r.Code == tv.ToolTimeout):
		return DoubtTool, "the tool did not answer: " + r.Message
	case r != nil:
		return DoubtRefused, "the call that asks was refused: " + string(r.Code) + ": " + r.Message
	case res.Replayed: // it may be older than the lost call
		return DoubtStale, "the ledger answered with what the tool said earlier; ask again later"
	case !res.Success || res.Paused:
		return DoubtTool, "the tool did not answer"
	}
	return "", ""
}

// read takes the tool's own value out of an answer: the structured content of
// MCP, else its one text read as JSON, else, of a tool that is a Go function, the
// answer itself. What two parsers could read differently is no answer.
func read(content json.RawMessage) (canon.Value, error) {
	limits := canon.Limits{MaxBytes: maxAnswer}
	v, err := canon.Parse(content, limits)
	if err != nil {
		return v, err
	}
	if structured, ok := v.Get("structuredContent"); ok {
		return structured, nil
	}
	items, ok := v.Get("content")
	if !ok || items.Kind() != canon.KindArray {
		return v, nil
	}
	first, _ := items.Index(0)
	text, ok := first.Get("text")
	if items.Len() != 1 || !ok || text.Kind() != canon.KindString {
		return v, errors.New("it is neither structured nor one text")
	}
	return canon.Parse([]byte(text.Text()), limits)
}

// says reports whether all findings are in an answer, and which they are.
func says(findings []tv.Finding, answer canon.Value) (all bool, why string) {
	var parts []string
	for i := range findings {
		what, ok := holds(&findings[i], answer)
		if !ok {
			return false, ""
		}
		parts = append(parts, what)
	}
	return len(parts) > 0, strings.Join(parts, ", ")
}

// holds looks for one finding. That nothing is at a place counts only in
// something that could have it: an answer of another shape tells nothing.
func holds(f *tv.Finding, answer canon.Value) (what string, ok bool) {
	v, there := answer.Pointer(f.At)
	if f.Exists != nil {
		above, known := answer.Pointer(f.At[:max(strings.LastIndexByte(f.At, '/'), 0)])
		room := known && (above.Kind() == canon.KindObject || above.Kind() == canon.KindArray)
		if there {
			return f.At + " is there", *f.Exists
		}
		return "nothing is at " + f.At, room && !*f.Exists
	}
	for _, t := range f.Is {
		want, err := canon.Parse(t.Value, canon.Limits{MaxBytes: maxAnswer})
		if !there || err != nil || !canon.Equal(v, want) {
			continue
		}
		if t.From != "" { // the value of an argument may be private
			return f.At + " is the call's " + t.From, true
		}
		return f.At + " is " + string(t.Value), true
	}
	return "", false
}

// cut shortens evidence to what a person could have written.
func cut(s string) string {
	const more = "…"
	if len(s) <= maxEvidence {
		return s
	}
	end := maxEvidence - len(more)
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + more
}
