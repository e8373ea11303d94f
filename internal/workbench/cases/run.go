// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// Suite is one file of tests with what its cases are decided on.
type Suite struct {
	File  string
	Bench *Bench
	Cases []policy.Case
}

// Answer is what came of a call, or what was to come of it.
type Answer struct {
	Verdict tv.Verdict `json:"verdict"`
	Rule    string     `json:"rule,omitempty"`
	Rules   []string   `json:"rules,omitempty"` // all that matched
	Code    tv.Code    `json:"code,omitempty"`
}

// Outcome is one case and what came of it.
type Outcome struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Name   string `json:"name"`
	Tool   string `json:"tool"`
	Passed bool   `json:"passed"`
	Got    Answer `json:"got"`
	Want   Answer `json:"want"`

	Differs []string          `json:"differs,omitempty"` // in words
	Rules   []policy.RuleSeen `json:"rules,omitempty"`   // of a case that failed: what each rule made of it
	Effects []tv.Effect       `json:"effects,omitempty"` // of a case that failed
}

// Report is what came of all cases.
type Report struct {
	Policies []Identity `json:"policies"`
	Outcomes []Outcome  `json:"cases"`
	Passed   int        `json:"passed"`
	Failed   int        `json:"failed"`
	Examples int        `json:"examples"` // calls beside the rules, which a policy must fit to load at all
}

// Identity is a policy that was tested.
type Identity struct {
	Version string `json:"version"`
	Hash    string `json:"hash"`
}

// Run runs every case of every suite, in order. The error is about a case that
// cannot be run.
func Run(suites []Suite) (Report, error) {
	out := Report{Policies: []Identity{}, Outcomes: []Outcome{}}
	inspectors := map[*policy.Set]*policy.Inspector{}
	for _, s := range suites {
		if inspectors[s.Bench.Set] == nil {
			inspectors[s.Bench.Set] = s.Bench.Set.Inspect()
			version, hash := s.Bench.Set.Identity()
			out.Policies = append(out.Policies, Identity{version, hash})
			for _, r := range s.Bench.Report.Rules {
				out.Examples += r.Examples
			}
		}
		for i := range s.Cases {
			one, err := run(&s, &s.Cases[i], inspectors[s.Bench.Set])
			if err != nil {
				return out, err
			}
			if one.Passed {
				out.Passed++
			} else {
				out.Failed++
			}
			out.Outcomes = append(out.Outcomes, one)
		}
	}
	return out, nil
}

func run(s *Suite, c *policy.Case, inspector *policy.Inspector) (Outcome, error) {
	out := Outcome{File: s.File, Line: c.Line, Name: c.Name, Tool: c.Tool,
		Want: Answer{Verdict: c.Want.Verdict, Rule: c.Want.Rule, Rules: c.Want.Rules, Code: c.Want.Code}}
	call, err := s.Bench.Ready(c)
	if err != nil {
		return out, At(s.File, c, err)
	}
	if call.Request.Tool != nil {
		out.Tool = call.Request.Tool.Name()
	}
	d := Decide(s.Bench.Set, &call)
	out.Got = answerOf(&d)
	out.Differs = differences(&c.Want, &d, &call)
	if out.Passed = len(out.Differs) == 0; out.Passed || !call.Asked() {
		return out, nil
	}
	shown := policy.Shown{Arguments: call.Request.Arguments, Effects: call.Request.Effects}
	out.Rules, out.Effects = inspector.Explain(call.Request, shown).Rules, call.Request.Effects
	return out, nil
}

// At gives an error about a case its place.
func At(file string, c *policy.Case, err error) error {
	return fmt.Errorf("%s:%d:%d: case %q: %w", file, c.Line, c.Column, c.Name, err)
}

func answerOf(d *tv.Decision) Answer {
	out := Answer{Verdict: d.Verdict, Rule: d.Rule, Code: d.Code}
	for _, m := range d.Rules {
		out.Rules = append(out.Rules, m.Rule)
	}
	return out
}

// differences says in words how a decision is not what a case wants. A call that
// the rules never see proves nothing about them, so it fails a case that does not
// ask for its code.
func differences(want *policy.Want, d *tv.Decision, c *Call) []string {
	var out []string
	differ := func(what, want, got string) {
		if want != got {
			out = append(out, fmt.Sprintf("%s: want %s, got %s", what, cmp.Or(want, "none"), cmp.Or(got, "none")))
		}
	}
	differ("verdict", want.Verdict.String(), d.Verdict.String())
	if want.Code != "" {
		differ("code", string(want.Code), string(d.Code))
	} else if c.Odd() {
		out = append(out, "the call never reaches the rules: "+c.Refused.Error()+maybe(c.Meant))
	}
	if want.Rule != "" {
		differ("rule", want.Rule, d.Rule)
	}
	if want.Rules != nil {
		matched := answerOf(d).Rules
		slices.Sort(matched)
		differ("rules", strings.Join(want.Rules, ", "), strings.Join(matched, ", "))
	}
	return out
}

// maybe names tools that may have been meant.
func maybe(meant []string) string {
	if len(meant) == 0 {
		return ""
	}
	return " Did you mean " + strings.Join(meant, ", ") + "?"
}

// Holds reports whether a decision is what a case wants.
func Holds(c *policy.Case, d *tv.Decision, call *Call) bool {
	return len(differences(&c.Want, d, call)) == 0
}
