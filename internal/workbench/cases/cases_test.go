// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cases_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/workbench/cases"
	"github.com/toolverdict/toolverdict/policy"
)

const rules = `
policy: p
version: v1
rules:
  - {id: allow-pay, verdict: allow, reason: Paying is open, tools: s/pay, when: {args.amount: {lte: 100}}, match: [{amount: 1}]}
  - {id: deny-night, verdict: deny, reason: At night nothing is paid, tools: s/pay, when: {time.hour: {lt: 6}}}
  - {id: limit-pay, verdict: deny, reason: Ten a day, tools: s/pay, limit: {max: 10, per: 1d, by: subject}}
  - {id: ask-disk, verdict: ask, reason: Files are looked after, tools: s/disk, when: {effects.any: {kind: delete}}}
  - {id: allow-files, verdict: allow, reason: Files may be read, tools: s/files, when: {effects.every: {kind: read}}}
  - {id: allow-high, verdict: allow, reason: Open as such, tools: s/high}
  - {id: allow-send, verdict: allow, reason: Open, tools: s/send}
  - {id: limit-send, verdict: deny, reason: One an hour, tools: s/send, limit: {max: 1, per: 1h, by: subject}}
  - {id: deny-send-after-files, verdict: deny, reason: Not after files, tools: s/send, when: {history.any: {tools: s/files, within: 1h}}}
  - {id: deny-disk-after-files, verdict: deny, reason: First the one then the other, tools: s/disk, when: {history.any: {tools: s/files, within: 1h}}}
`

const tools = `
tools:
  s/pay:
    safety: destructive
    risk: medium
    permission: pay
    schema: {type: object, properties: {amount: {type: integer}}, required: [amount]}
  s/files:
    safety: read-only
    risk: low
    roles: {"/path": path}
    schema: {type: object, properties: {path: {type: string}}}
  s/send:
    safety: destructive
    risk: low
    schema: {type: object}
  s/disk:
    safety: destructive
    risk: low
    roles: {"/path": path}
    schema: {type: object, properties: {path: {type: string}}}
  s/high:
    safety: destructive
    risk: high
    permission: high
    schema: {type: object}
`

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func bench(t *testing.T) *cases.Bench {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string]string{"p.yaml": rules, "c.yaml": tools})
	b, err := cases.Open(cases.Files{Policies: []string{filepath.Join(dir, "p.yaml")}, Catalogs: []string{filepath.Join(dir, "c.yaml")}}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func parse(t *testing.T, text string) []policy.Case {
	t.Helper()
	parsed, err := policy.ParseCases(policy.File{Name: "p_test.yaml", Content: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Cases
}

// TestRun says of each case how the decision differs from what it wants.
func TestRun(t *testing.T) {
	t.Parallel()
	b := bench(t)
	const noon, night = `time: "2025-01-15T12:00:00Z"`, `time: "2025-01-15T03:00:00Z"`
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"allowed":                    {`tool: s/pay, args: {amount: 100}, ` + noon + `, want: {verdict: allow, rule: allow-pay, rules: [allow-pay]}`, nil},
		"a short name":               {`tool: pay, args: {amount: 100}, ` + noon + `, want: allow`, nil},
		"another verdict":            {`tool: s/pay, args: {amount: 101}, ` + noon + `, want: allow`, []string{"verdict: want allow, got deny"}},
		"another rule":               {`tool: s/pay, args: {amount: 1}, ` + night + `, want: {verdict: deny, rule: limit-pay}`, []string{"rule: want limit-pay, got deny-night"}},
		"more rules":                 {`tool: s/pay, args: {amount: 1}, ` + night + `, want: {verdict: deny, rules: [deny-night]}`, []string{"rules: want deny-night, got allow-pay, deny-night"}},
		"no rules":                   {`tool: s/pay, args: {amount: 101}, ` + noon + `, want: {verdict: deny, rules: []}`, nil},
		"time not said is unknown":   {`tool: s/pay, args: {amount: 1}, want: {verdict: deny, rule: deny-night}`, nil},
		"without the permission":     {`tool: s/pay, args: {amount: 1}, ` + noon + `, subject: {id: u, permissions: []}, want: {verdict: deny, code: PERMISSION_DENIED}`, nil},
		"with the permission":        {`tool: s/pay, args: {amount: 1}, ` + noon + `, subject: {id: u, permissions: [pay]}, want: allow`, nil},
		"permission not said":        {`tool: s/pay, args: {amount: 1}, ` + noon + `, subject: {id: u}, want: allow`, nil},
		"another code":               {`tool: s/pay, args: {amount: 101}, ` + noon + `, want: {verdict: deny, code: PERMISSION_DENIED}`, []string{"code: want PERMISSION_DENIED, got POLICY_DENIED"}},
		"risk asks":                  {`tool: s/high, want: {verdict: ask, rules: [allow-high], code: CONFIRMATION_REQUIRED}`, nil},
		"limit below":                {`tool: s/pay, args: {amount: 1}, ` + noon + `, counts: {limit-pay: 9}, want: allow`, nil},
		"limit full":                 {`tool: s/pay, args: {amount: 1}, ` + noon + `, counts: {limit-pay: 10}, want: {verdict: deny, rule: limit-pay, code: RATE_LIMITED}`, nil},
		"unknown tool":               {`tool: s/pya, want: deny`, []string{`the call never reaches the rules: UNKNOWN_TOOL: There is no such tool. Did you mean s/pay?`}},
		"unknown tool, asked for":    {`tool: s/pya, want: {verdict: deny, code: UNKNOWN_TOOL}`, nil},
		"invalid input":              {`tool: s/pay, args: {amount: many}, want: deny`, []string{"the call never reaches the rules: INVALID_INPUT: The tool input is invalid: /amount: must be an integer"}},
		"invalid input, asked for":   {`tool: s/pay, args: {amount: many}, want: {verdict: deny, code: INVALID_INPUT}`, nil},
		"read-only run":              {`tool: s/pay, args: {amount: 1}, run: {readOnly: true}, want: {verdict: deny, code: TOOL_NOT_ALLOWED}`, nil},
		"effects not said are found": {`tool: s/files, args: {path: /a}, want: {verdict: allow, rules: [allow-files]}`, nil},
		"effects that are told":      {`tool: s/disk, args: {path: /a}, effects: [{kind: delete, path: /a}], history: [], want: {verdict: ask, rules: [ask-disk]}`, nil},
		"history not said":           {`tool: s/disk, args: {path: /a}, effects: [], want: {verdict: deny, rule: deny-disk-after-files}`, nil},
		"a limit behind the history": {`tool: s/send, session: a, counts: {limit-send: 1}, history: [], want: {verdict: deny, rule: limit-send, code: RATE_LIMITED}`, nil},
		"history":                    {`tool: s/disk, args: {path: /a}, effects: [], history: [{tool: files, ago: 5m}], want: {verdict: deny, rules: [deny-disk-after-files]}`, nil},
		"history of another session": {`tool: s/disk, args: {path: /a}, effects: [], session: a, history: [{tool: s/files, ago: 5m, session: b}], want: {verdict: deny, rules: []}`, nil},
		"history too long ago":       {`tool: s/disk, args: {path: /a}, effects: [], history: [{tool: s/files, ago: 1h}], want: {verdict: deny, rules: []}`, nil},
		"history that only tried":    {`tool: s/disk, args: {path: /a}, effects: [], history: [{tool: s/files, ago: 1m, what: attempted}], want: {verdict: deny, rules: []}`, nil},
		"more than reading":          {`tool: s/files, args: {path: /a}, effects: [{kind: delete, path: /a}], want: {verdict: deny, rules: []}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite := cases.Suite{File: "p_test.yaml", Bench: b, Cases: parse(t, "cases: [{name: one, "+c.in+"}]")}
			report, err := cases.Run([]cases.Suite{suite})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, report.Outcomes[0].Differs); diff != "" {
				t.Error(diff)
			}
			if report.Outcomes[0].Passed != (c.want == nil) || report.Passed+report.Failed != 1 || report.Examples != 1 {
				t.Errorf("counted as %+v", report)
			}
		})
	}
}

// TestFailureSaysWhy: what each rule made of the call comes with a case that
// fails.
func TestFailureSaysWhy(t *testing.T) {
	t.Parallel()
	suite := cases.Suite{File: "p_test.yaml", Bench: bench(t), Cases: parse(t, `cases: [{name: one, tool: s/pay, args: {amount: 101}, want: allow}]`)}
	report, err := cases.Run([]cases.Suite{suite})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range report.Outcomes[0].Rules {
		got = append(got, r.ID+" "+r.Truth.String())
	}
	if diff := cmp.Diff([]string{"allow-pay false", "deny-night unknown", "limit-pay true"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCallerByName(t *testing.T) {
	t.Parallel()
	b := bench(t)
	suite := cases.Suite{File: "p_test.yaml", Bench: b, Cases: parse(t, `cases: [{name: one, as: clerk, tool: s/high, want: ask}]`)}
	_, err := cases.Run([]cases.Suite{suite})
	if want := `p_test.yaml:1:9: case "one": as: there is no configuration`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestCountsOfNoLimit: a count that no rule reads would seem to prove something.
func TestCountsOfNoLimit(t *testing.T) {
	t.Parallel()
	b := bench(t)
	for counts, want := range map[string]string{
		"limit-pay: 3":               "",
		"limit-send: 3":              "", // of another tool: it is in the policy
		"limit-pya: 3":               `counts: the policy has no rule "limit-pya": did you mean "limit-pay"?`,
		"limit-pay: 1, something: 3": `counts: the policy has no rule "something"`,
		"deny-night: 3":              `counts: rule "deny-night" has no limit`,
	} {
		_, err := b.Ready(&parse(t, `cases: [{name: one, tool: s/pay, args: {amount: 1}, counts: {`+counts+`}, want: deny}]`)[0])
		if got := fmt.Sprint(err); err == nil && want != "" || err != nil && got != want {
			t.Errorf("%s: %v", counts, err)
		}
	}
}

// TestWithoutCatalog: a tool of which nothing is known is a plain one.
func TestWithoutCatalog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"p.yaml": rules})
	b, err := cases.Open(cases.Files{Policies: []string{filepath.Join(dir, "p.yaml")}}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := cases.Run([]cases.Suite{{Bench: b, Cases: parse(t, `cases: [{name: one, tool: s/high, want: {verdict: allow, rule: allow-high}}]`)}})
	if err != nil || report.Failed > 0 {
		t.Errorf("%+v, %v", report.Outcomes, err)
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	suite := cases.Suite{File: "p_test.yaml", Bench: bench(t), Cases: parse(t, `cases:
  - {name: "good <one>", tool: s/high, want: ask}
  - {name: "bad \u202eone", tool: s/high, want: deny}`)}
	report, err := cases.Run([]cases.Suite{suite})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = cases.JUnit(&out, &report, func(w io.Writer, o *cases.Outcome) error { _, err := fmt.Fprint(w, "because & so"); return err })
	if err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1">
  <testsuite name="p_test.yaml" tests="2" failures="1">
    <testcase classname="p_test" name="good &lt;one&gt;" file="p_test.yaml" line="2"></testcase>
    <testcase classname="p_test" name="bad one" file="p_test.yaml" line="3">
      <failure message="verdict: want deny, got ask">because &amp; so</failure>
    </testcase>
  </testsuite>
</testsuites>
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"policy.yaml": "", "policy_test.yaml": "", "deep/er/x_test.yml": "", "deep/y_test.json": "", ".hidden/z_test.yaml": "", "node_modules/m_test.yaml": "",
		"notes_test.txt": "", "alone_test.yaml": "", "odd.yaml": "",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	got, err := cases.Find([]string{dir, at("odd.yaml"), at("policy_test.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{at("alone_test.yaml"), at("deep/er/x_test.yml"), at("deep/y_test.json"), at("odd.yaml"), at("policy_test.yaml")}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := cases.Find([]string{at("none")}); err == nil {
		t.Error("a file that is not there was found")
	}
	for file, want := range map[string]string{"policy_test.yaml": at("policy.yaml"), "alone_test.yaml": "", "odd.yaml": ""} {
		if got := cases.Tested(at(file)); got != want {
			t.Errorf("%s is about %q, want %q", file, got, want)
		}
	}
}
