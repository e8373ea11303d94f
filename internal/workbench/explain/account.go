// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/workbench/cases"
	"github.com/toolverdict/toolverdict/policy"
)

// Account is how the decision about one call came about. Secrets of the call are
// hidden in it.
type Account struct {
	Verdict tv.Verdict        `json:"verdict"`
	Decided string            `json:"decidedBy"` // rule, default, permission, risk, or what refused it before the rules: decoding, catalog, run, schema, read-only
	Rule    string            `json:"rule,omitempty"`
	Reason  string            `json:"reason,omitempty"`
	Told    *tv.Refusal       `json:"told,omitempty"`  // to the caller; nil where the call runs
	Meant   []string          `json:"meant,omitempty"` // tools that may have been meant
	Asks    []tv.Requirement  `json:"asks,omitempty"`
	Call    CallShown         `json:"call"`
	Policy  cases.Identity    `json:"policy"`
	Effects []tv.Effect       `json:"effects"`
	Rules   []policy.RuleSeen `json:"rules"`  // all that look at the tool
	Others  int               `json:"others"` // rules that do not
}

// NewCall makes a call of a tool's name and the bytes of its arguments, or says
// what the gate says of bytes that it does not take.
func NewCall(tool string, arguments []byte) (*policy.Case, *tv.Refusal) {
	args, refused := tv.RefuseBytes(arguments, canon.Limits{})
	out := &policy.Case{}
	out.Tool, out.Args = tool, args
	return out, refused
}

// Malformed accounts for arguments that the gate does not take.
func Malformed(b *cases.Bench, tool string, refused *tv.Refusal) Account {
	out := Account{
		Verdict: tv.Deny, Decided: "decoding", Reason: strings.TrimSuffix(refused.Message, "."), Told: refused,
		Effects: []tv.Effect{}, Rules: []policy.RuleSeen{}, Others: len(b.Report.Rules), Call: CallShown{Tool: tool},
	}
	out.Policy.Version, out.Policy.Hash = b.Set.Identity()
	return out
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
	out.Told, out.Meant = told(&d, &call, out.Call.Arguments), call.Meant
	if out.Told != nil { // a name of an argument may be anything
		out.Told.Message, out.Reason = r.Shown(out.Told.Message), r.Shown(out.Reason)
	}
	if t == nil {
		return out, nil
	}
	out.Call.Tool = t.Name()
	seen := b.Set.Inspect().Explain(call.Request, shown)
	out.Effects = append(out.Effects, shown.Effects...)
	out.Rules = append(out.Rules, seen.Rules...)
	out.Others -= len(seen.Rules)
	return out, nil
}

// decidedBy says what had the last word.
func decidedBy(d *tv.Decision, c *cases.Call) string {
	code := tv.Code("")
	if c.Refused != nil {
		code = c.Refused.Code
	}
	switch code {
	case "": // the rules were asked
	case tv.UnknownTool:
		return "catalog"
	case tv.ToolNotAllowed:
		return "run"
	case tv.MalformedCall, tv.InvalidInput:
		return "schema"
	case tv.PolicyDenied:
		return "read-only"
	default:
		return "gate"
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
func told(d *tv.Decision, c *cases.Call, shown json.RawMessage) *tv.Refusal {
	if d.Verdict == tv.Allow {
		return nil
	}
	if c.Refused != nil {
		return c.Refused
	}
	if d.Verdict == tv.Ask {
		trait := tv.ConfirmationRequired.Trait()
		r := &tv.Refusal{Code: tv.ConfirmationRequired, Retryable: trait.Retryable, RecommendedAction: trait.Advice}
		r.Message = "A person must approve this call first. " + approval.Summary(c.Request.Tool.Definition(), shown)
		c.Request.Tool.Guided(r)
		return r
	}
	r := d.Refusal()
	c.Request.Tool.Guided(r)
	return r
}
