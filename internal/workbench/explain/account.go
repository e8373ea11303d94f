// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/workbench/cases"
	"github.com/toolverdict/toolverdict/policy"
)

// Account is how the decision about one call came about. Secrets of the call are
// hidden in it.
type Account struct {
	Verdict tv.Verdict        `json:"verdict"`
	Decided string            `json:"decidedBy"` // rule, default, permission, risk, or what refused it before the rules: catalog, run, schema, read-only
	Rule    string            `json:"rule,omitempty"`
	Reason  string            `json:"reason,omitempty"`
	Told    *tv.Refusal       `json:"told,omitempty"` // to the caller; nil where the call runs
	Asks    []tv.Requirement  `json:"asks,omitempty"`
	Call    CallShown         `json:"call"`
	Policy  cases.Identity    `json:"policy"`
	Effects []tv.Effect       `json:"effects"`
	Rules   []policy.RuleSeen `json:"rules"`  // all that look at the tool
	Others  int               `json:"others"` // rules that do not
}

// CallShown is a call as it may be shown.
type CallShown struct {
	Tool      string            `json:"tool"`
	Arguments json.RawMessage   `json:"arguments"`
	Subject   tv.Subject        `json:"subject"`
	Session   string            `json:"session,omitempty"`
	Model     string            `json:"model,omitempty"`
	Run       tv.Run            `json:"run,omitzero"`
	Env       map[string]string `json:"env,omitempty"`
	Time      time.Time         `json:"time,omitzero"`
}

// Of accounts for the decision about a call. The key, 32 random bytes, makes
// placeholders of what is hidden. The error is about the call itself.
func Of(b *cases.Bench, c *policy.Case, key []byte) (Account, error) {
	r, err := redact.New(redact.Config{Key: key})
	if err != nil {
		return Account{}, err
	}
	call, err := b.Ready(c)
	if err != nil {
		return Account{}, err
	}
	out := Account{Effects: []tv.Effect{}, Rules: []policy.RuleSeen{}, Others: len(b.Report.Rules), Call: CallShown{
		Tool: c.Tool, Subject: call.Request.Subject, Session: c.Session, Model: c.Model, Run: c.Run, Env: c.Environment, Time: c.At,
	}}
	out.Policy.Version, out.Policy.Hash = b.Set.Identity()
	d := cases.Decide(b.Set, &call)
	out.Verdict, out.Rule, out.Reason, out.Asks = d.Verdict, d.Rule, d.Reason, d.Asks
	out.Decided = decidedBy(&d, &call)
	t := call.Request.Tool
	shown := Shown(r, t, c.Args, call.Request.Effects)
	out.Call.Arguments = canon.Append(nil, shown.Arguments)
	out.Told = told(&d, &call)
	if t == nil {
		return out, nil
	}
	out.Call.Tool = t.Name()
	if own, ok := t.Definition().Guidance[d.Code]; ok && out.Told != nil {
		out.Told.RecommendedAction = own
	}
	seen := b.Set.Inspect().Explain(call.Request, shown)
	out.Effects = append(out.Effects, shown.Effects...)
	out.Rules = append(out.Rules, seen.Rules...)
	out.Others -= len(seen.Rules)
	return out, nil
}

// decidedBy says what had the last word.
func decidedBy(d *tv.Decision, c *cases.Call) string {
	switch c.Refused {
	case tv.UnknownTool:
		return "catalog"
	case tv.ToolNotAllowed:
		return "run"
	case tv.MalformedCall, tv.InvalidInput:
		return "schema"
	case tv.PolicyDenied:
		return "read-only"
	default: // the rules were asked
	}
	switch {
	case d.Rule != "":
		return "rule"
	case d.Code == tv.PermissionDenied:
		return "permission"
	case d.Verdict == tv.Ask && len(d.Rules) > 0:
		return "risk"
	}
	return "default"
}

// told is what the caller is told of a call that does not run.
func told(d *tv.Decision, c *cases.Call) *tv.Refusal {
	if d.Verdict == tv.Allow {
		return nil
	}
	code := cmp.Or(d.Code, tv.PolicyDenied)
	trait := code.Trait()
	r := &tv.Refusal{Code: code, Retryable: trait.Retryable, RecommendedAction: trait.Advice}
	switch {
	case c.Refused != "":
		r.Message = fmt.Sprintf("Refused before the rules: %s", c.Why)
	case d.Verdict == tv.Ask:
		r.Message = "A person must approve this call first."
	default:
		return d.Refusal()
	}
	return r
}
