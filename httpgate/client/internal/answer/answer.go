// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package answer reads what is answered in the name of a gate: by the gate, by a
// proxy, or by whatever else is there. It takes nothing for leave, and nothing for
// an outcome that is recorded, but a gate's own words, each of which reads in one
// way only.
package answer

import (
	"encoding/json"
	"errors"
	"net/http"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/decide"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

type (
	// Verdict is the gate's own.
	Verdict = decide.Verdict
	// Outcome is what is told to it.
	Outcome = decide.Outcome
)

var (
	errNoVerdict = errors.New("read verdict: the answer is none that a gate gives: nothing may run on it")
	errNotTold   = errors.New("tell outcome: the answer is none that a gate gives: whether it is recorded is not known")
	errNoResult  = errors.New("read answer: it is none that a gate gives: what came of the call is not known")
)

// names are the members of answers that something is read of. Another name that
// reads like one of them is refused: the standard library's decoder takes it for
// that one.
func names() canon.NameSet {
	return canon.NewNameSet([]string{
		"verdict", "id", "tool", "digest", "claim", "answer", "token", "arguments", "deadline", "idempotencyKey",
		"success", "callId", "result", "replayed", "paused", "edited", "error", "confirmation", "stateChanged", "securityBlocked", "decision",
		"repeated", "problem",
	})
}

// strict refuses an answer that could be read in two ways, but for what a tool
// said, whose form is the tool's own.
func strict(raw []byte) error {
	members, err := web.Members(raw)
	if err != nil {
		return err
	}
	delete(members, "result")
	delete(members, "answer")
	rest, err := json.Marshal(members)
	if err != nil {
		return err
	}
	v, err := canon.ParseObject(rest, canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth})
	if err != nil {
		return err
	}
	parts := []canon.Value{v}
	for _, name := range []string{"claim", "error"} {
		if inner, ok := v.Get(name); ok {
			parts = append(parts, inner)
		}
	}
	for _, part := range parts {
		if _, _, clash := names().Clash(part); clash {
			return errors.New("a member is misspelt")
		}
	}
	return nil
}

// whole reports whether an answer says that the call did what it was asked, or why
// not, and not both.
func whole(res *tv.Result) bool { return res.Success == (res.Error == nil) }

// Check says why a result is none that a gate gives.
func Check(res *tv.Result) error {
	if !whole(res) {
		return errNoResult
	}
	return nil
}

// ReadClaim reads the verdict on a claim: with allow, there is leave.
func ReadClaim(raw []byte) (Verdict, error) {
	v, err := ReadVerdict(raw)
	if err == nil && v.Verdict == tv.Allow && v.Claim == nil {
		return Verdict{}, errNoVerdict
	}
	return v, err
}

// ReadVerdict reads a verdict. Where there is leave, every word says so.
func ReadVerdict(raw []byte) (Verdict, error) {
	if err := strict(raw); err != nil {
		return Verdict{}, errNoVerdict
	}
	var v Verdict
	if err := json.Unmarshal(raw, &v); err != nil || !whole(&v.Result) {
		return Verdict{}, errNoVerdict
	}
	allowed, leave := v.Verdict == tv.Allow, v.Claim
	if allowed != (v.Success && !v.Replayed) || leave != nil && (!allowed || leave.ID == "" || leave.Token == "" || len(leave.Arguments) == 0 || leave.Deadline.IsZero()) {
		return Verdict{}, errNoVerdict
	}
	return v, nil
}

// ReadTold reads the answer to an outcome.
func ReadTold(raw []byte, claim string) (tv.Result, error) {
	if err := strict(raw); err != nil {
		return tv.Result{}, errNotTold
	}
	var told decide.Told
	if err := json.Unmarshal(raw, &told); err != nil || told.Claim != claim || told.Problem != nil || !whole(&told.Result) {
		return tv.Result{}, errNotTold
	}
	return told.Result, nil
}

// maxDetail is how much is shown of what is said of a request, in characters.
const maxDetail = 1000

// Detail is what is said of a request that is no call, fit to be shown.
func Detail(status int, raw []byte) (title, detail string) {
	var p struct{ Title, Detail string }
	p.Detail = http.StatusText(status)
	_ = json.Unmarshal(raw, &p) // a proxy in between may answer otherwise
	return shown(p.Title), shown(p.Detail)
}

func shown(s string) string { return plain.Clip(plain.Line(s), maxDetail) }
