// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"fmt"
	"os/exec"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/daemon/policies"
	"github.com/toolverdict/toolverdict/policy"
)

// PolicyReport is what a policy check found: nothing that stops a start.
type PolicyReport struct {
	Version  string   `json:"version"`
	Hash     string   `json:"hash"`
	Rules    int      `json:"rules"`
	Tools    int      `json:"tools"` // known, and so checked against
	Warnings []string `json:"warnings"`
	// Notes are about this machine and not about the policy.
	Notes []string `json:"notes,omitempty"`
	// Findings are those of the warnings that have a place in a policy file.
	Findings []PolicyFinding `json:"findings"`
	// CEL are the rules that rest on an expression, of which less can be proved.
	CEL []string `json:"cel"`
	// Loaded are all rules.
	Loaded []policy.RuleInfo `json:"-"`
}

// PolicyFinding is one warning with its place.
type PolicyFinding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// CheckPolicy loads policy files as a gate would: against the tools that the
// configuration, where there is one, tells of. Without files those of the
// configuration are checked.
func CheckPolicy(ctx context.Context, o Options, paths []string) (PolicyReport, error) {
	out := PolicyReport{Warnings: []string{}, Findings: []PolicyFinding{}, CEL: []string{}}
	if o.Config == nil {
		f, err := readFiles(nil, paths)
		if err != nil {
			return out, err
		}
		set, report, err := policy.Compile(f.policies, nil, policy.Options{Discovery: true, Meaning: true, Analyse: effect.Effects})
		if err != nil {
			return out, fmt.Errorf("read policy:\n%w", err)
		}
		out.fill(set, &report)
		return out, nil
	}
	conf := *o.Config
	if len(paths) > 0 {
		conf.Policies, conf.Bundle = paths, nil // what is being written, and not what is in force
	}
	o.Config = &conf
	s, kept, err := offlineOf(ctx, o, (*policies.Keeper).Sources) // also where an earlier version is in force
	if err != nil {
		return out, err
	}
	out.fill(s.Policy, &s.policyReport)
	out.Warnings = append(out.Warnings, s.tools.Warnings...)
	out.Notes = append(out.Notes, kept.unseen(o.Config)...)
	if len(paths) == 0 {
		for _, hint := range o.Config.Hints(exec.LookPath) {
			out.Notes = append(out.Notes, hint.Error())
		}
	}
	return out, nil
}

func (r *PolicyReport) fill(set tv.Policy, report *policy.Report) {
	r.Version, r.Hash = set.Identity()
	r.Rules, r.Loaded = len(report.Rules), report.Rules
	for _, t := range report.Tools {
		if !catalog.IsMethod(t.Name) { // servers have a dozen of those, whatever their tools are
			r.Tools++
		}
	}
	for _, w := range report.Warnings {
		r.Warnings = append(r.Warnings, w.String())
		r.Findings = append(r.Findings, PolicyFinding{w.File, w.Line, w.Column, w.Message, w.Hint})
	}
	for _, rule := range report.Rules {
		if rule.CEL {
			r.CEL = append(r.CEL, rule.ID)
		}
	}
}
