// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// withRoles makes a tool whose arguments have roles, so that a call without
// effects surely has none.
func withRoles(t testing.TB, name string, roles ...toolverdict.RoleKind) *toolverdict.Tool {
	t.Helper()
	def := toolverdict.Definition{Name: name, Server: "p", Safety: toolverdict.Destructive, Risk: toolverdict.LowRisk, Roles: map[string]toolverdict.Role{}}
	for i, role := range roles {
		def.Roles[fmt.Sprintf("/arg%d", i)] = toolverdict.Role{Kind: role}
	}
	return define(t, def)
}

// probeEffects is [probe] for tools with roles.
func probeEffects(t testing.TB, condition string) func(...toolverdict.Effect) outcome {
	t.Helper()
	tools := catalog{withRoles(t, "p/deny", "any"), withRoles(t, "p/ask", "any"), withRoles(t, "p/allow", "any")}
	decide := probeTools(t, tools, condition)
	return func(list ...toolverdict.Effect) outcome { return decide(toolverdict.Request{Effects: list}) }
}

// effectCells are of one field: an effect that surely satisfies the test, one
// that surely does not, and one of the kind that does not say.
type effectCells struct {
	name, test   string
	yes, no, dim toolverdict.Effect
	lacking      toolverdict.Effect // of a kind without the field
}

func query(q toolverdict.Query) toolverdict.Effect {
	return toolverdict.Effect{Kind: toolverdict.EffectQuery, Query: &q}
}

func effectMatrix() []effectCells {
	type E = toolverdict.Effect
	read, exec := E{Kind: toolverdict.EffectRead, Path: "/x"}, E{Kind: toolverdict.EffectExecute, Program: "x", Argv: []string{"x"}}
	conn, send, spend, del := toolverdict.EffectConnect, toolverdict.EffectSend, toolverdict.EffectSpend, toolverdict.EffectDelete
	run, dark := toolverdict.EffectExecute, E{Kind: toolverdict.EffectQuery}
	return []effectCells{
		{"path", "path: /a", E{Kind: del, Path: "/a"}, E{Kind: del, Path: "/b"}, E{Kind: del}, exec},
		{"path ne", "path: {ne: /a}", E{Kind: del, Path: "/b"}, E{Kind: del, Path: "/a"}, E{Kind: del}, exec},
		{"path under", "path: {under: [/a, C:/b]}", E{Kind: del, Path: "C:/b/c"}, E{Kind: del, Path: "/ab"}, E{Kind: del}, exec},
		{"path not under", "path: {not: {under: /a}}", E{Kind: del, Path: "/b"}, E{Kind: del, Path: "/a"}, E{Kind: del}, exec},
		{"path glob", `path: {glob: "*/.env"}`, E{Kind: del, Path: "/a/.env"}, E{Kind: del, Path: "/a/.envrc"}, E{Kind: del}, exec},
		{"path regex", `path: {regex: "/a.+"}`, E{Kind: del, Path: "/ab"}, E{Kind: del, Path: "/a"}, E{Kind: del}, exec},
		{"path suffix", `path: {suffix: .pem}`, E{Kind: del, Path: "/a.pem"}, E{Kind: del, Path: "/a"}, E{Kind: del}, exec},
		{"deep", "deep: true", E{Kind: del, Path: "/a", Deep: true}, E{Kind: del, Path: "/a"}, E{Kind: del}, exec},
		{"names", "names: true", E{Kind: toolverdict.EffectRead, Names: true}, read, E{}, E{Kind: del, Path: "/a"}},
		{"source", "source: /a", E{Kind: del, Source: "/a"}, E{Kind: del, Source: "/b"}, E{Kind: del}, E{}},
		{"program", "program: [rm, mv]", E{Kind: run, Program: "rm"}, E{Kind: run, Program: "./rm"}, E{Kind: run}, read},
		{"program partly", "program: {prefix: py}", E{Kind: run, Program: "python"}, E{Kind: run, Program: "perl\x00"}, E{Kind: run, Program: "p\x00"}, read},
		{"argv", "argv: {any: --force}", E{Kind: run, Argv: []string{"git", "--force"}}, E{Kind: run, Argv: []string{"git", "push"}}, E{Kind: run}, read},
		{"argv hole", "argv: {any: --force}", E{Kind: run, Argv: []string{"\x00", "--force"}}, E{Kind: run, Argv: []string{"-\x00x"}}, E{Kind: run, Argv: []string{"--f\x00"}}, read},
		{"argv rest", "argv: {any: --force}", E{Kind: run, Argv: []string{"\x00", "--force"}}, E{Kind: run, Argv: []string{"git"}}, E{Kind: run, Argv: []string{"git", "\x00"}}, read},
		{"argv every", "argv: {every: {not: {prefix: -}}}", E{Kind: run, Argv: []string{"git"}}, E{Kind: run, Argv: []string{"git", "-\x00"}}, E{Kind: run, Argv: []string{"git", "\x00f"}}, read},
		{"argv length", "argv: {length: {lte: 2}}", E{Kind: run, Argv: []string{"a", "b\x00"}}, E{Kind: run, Argv: []string{"a", "b", "c"}}, E{Kind: run, Argv: []string{"a", "\x00"}}, read},
		{"verb", "verb: push", E{Kind: run, Verb: "push"}, E{Kind: run, Verb: "pull"}, E{Kind: run}, read},
		{"known", "known: true", E{Kind: run, Known: true}, E{Kind: run}, E{}, read},
		{"host", "host: a.example", E{Kind: conn, Host: "a.example"}, E{Kind: conn, Host: "b.example"}, E{Kind: conn}, read},
		{"hostIn", `host: {hostIn: ["*.a.example", 10.0.0.1, "[fd00::1]"]}`, E{Kind: conn, Host: "fd00::1"}, E{Kind: conn, Host: "a.example"}, E{Kind: conn, Host: "a_.example."}, read},
		{"hostIn name", `host: {hostIn: "*.a.example"}`, E{Kind: conn, Host: "b.a.example"}, E{Kind: conn, Host: "10.0.0.1"}, E{Kind: conn, Host: "::ffff:10.0.0.1"}, read},
		{"host domainIn", `host: {domainIn: "a.example"}`, E{Kind: conn, Host: "a.example"}, E{Kind: conn, Host: "a.example.com"}, E{Kind: conn, Host: "x\x00.example"}, read},
		{"ip", "ip: {cidr: [10.0.0.0/8, fd00::/8]}", E{Kind: conn, IP: "10.1.1.1"}, E{Kind: conn, IP: "11.1.1.1"}, E{Kind: conn, Host: "10.1.1.1"}, read},
		{"port", "port: {gte: 1024}", E{Kind: conn, Port: 8080}, E{Kind: conn, Port: 443}, E{Kind: conn}, read},
		{"scheme", "scheme: https", E{Kind: conn, Scheme: "https"}, E{Kind: conn, Scheme: "http"}, E{Kind: conn}, read},
		{"network", "network: {ne: public}", E{Kind: conn, Network: "metadata"}, E{Kind: conn, Network: "public"}, E{Kind: conn}, read},
		{"recipient", "recipient: {domainIn: corp.example}", E{Kind: send, Recipient: "a@corp.example"}, E{Kind: send, Recipient: "a@corp.example.com"}, E{Kind: send}, read},
		{"domain", `domain: {domainIn: [corp.example, "*.corp.example"]}`, E{Kind: send, Domain: "x.corp.example"}, E{Kind: send, Domain: "notcorp.example"}, E{Kind: send}, read},
		{"field", "field: [cc, bcc]", E{Kind: send, Field: "bcc"}, E{Kind: send, Field: "to"}, E{Kind: send}, read},
		{"amount", "amount: {gt: 100}", E{Kind: spend, Amount: "100.01"}, E{Kind: spend, Amount: "100.0"}, E{Kind: spend}, read},
		{"amount odd", "amount: {gt: 100}", E{Kind: spend, Amount: "1e3"}, E{Kind: spend, Amount: "-101"}, E{Kind: spend, Amount: "1,000"}, read},
		{"currency", "currency: EUR", E{Kind: spend, Currency: "EUR"}, E{Kind: spend, Currency: "USD"}, E{Kind: spend}, read},
		{"statement", "query.statement: {gt: 1}", query(toolverdict.Query{Statement: 2}), query(toolverdict.Query{Statement: 1}), query(toolverdict.Query{}), read},
		{"verb of a query", "query.verb: [drop, truncate]", query(toolverdict.Query{Verb: "drop"}), query(toolverdict.Query{Verb: "select"}), dark, read},
		{"changes", "query.changes: {any: users}", query(toolverdict.Query{Changes: []string{"a", "users"}}), query(toolverdict.Query{Changes: []string{"orders"}, Reads: []string{"users"}}), dark, read},
		{"changes schema", "query.changes: {any: users}", query(toolverdict.Query{Changes: []string{"users"}}), query(toolverdict.Query{Changes: []string{"user", "my_users", "users.x"}}), query(toolverdict.Query{Changes: []string{"public.users"}}), read},
		{"changes case", "query.changes: {any: public.users}", query(toolverdict.Query{Changes: []string{"public.users"}}), query(toolverdict.Query{Changes: []string{"other.users"}}), query(toolverdict.Query{Changes: []string{"Users"}}), read},
		{"reads every", "query.reads: {every: {prefix: pub_}}", query(toolverdict.Query{Reads: []string{"pub_a"}}), query(toolverdict.Query{Reads: []string{"pub_a", "b"}}), dark, read},
		{"columns", "query.columns: {any: email}", query(toolverdict.Query{Columns: []string{"email"}}), query(toolverdict.Query{Columns: []string{"id"}}), query(toolverdict.Query{Columns: []string{"*"}}), read},
		{"columns of one", "query.columns: {any: {suffix: _ssn}}", query(toolverdict.Query{Columns: []string{"user_ssn"}}), query(toolverdict.Query{Columns: []string{"id"}}), query(toolverdict.Query{Columns: []string{"users.*"}}), read},
		{"functions", "query.functions: {length: 0}", query(toolverdict.Query{}), query(toolverdict.Query{Functions: []string{"f"}}), dark, read},
		{"changes at least", "query.changes: {length: {gt: 1}}", query(toolverdict.Query{Changes: []string{"a", "b"}}), query(toolverdict.Query{Changes: []string{"a"}}), query(toolverdict.Query{Changes: []string{"a", "*"}}), read},
		{"bounded", "query.bounded: true", query(toolverdict.Query{Bounded: true}), query(toolverdict.Query{}), dark, read},
		{"limit", "query.limit: {lte: 100}", query(toolverdict.Query{Limit: 100}), query(toolverdict.Query{Limit: 101}), query(toolverdict.Query{}), read},
	}
}

// TestEffectMatrix: no effect escapes a deny or ask rule, and none satisfies an
// allow rule, but one of which the test is sure. What is opaque, and what is of
// a kind that this version does not have, could be anything.
func TestEffectMatrix(t *testing.T) {
	t.Parallel()
	opaque, future := toolverdict.Effect{Kind: toolverdict.EffectOpaque}, toolverdict.Effect{Kind: "lock", Path: "/a"}
	count := 0
	for _, c := range effectMatrix() {
		type row struct {
			effects          []toolverdict.Effect
			truthAny, truthE string // of effects.any, effects.every
		}
		rows := []row{
			{[]toolverdict.Effect{c.yes}, "yes", "yes"},
			{[]toolverdict.Effect{c.no}, "no", "no"},
			{[]toolverdict.Effect{c.yes, c.no}, "yes", "no"},
			{[]toolverdict.Effect{c.no, opaque}, "unknown", "no"},
			{[]toolverdict.Effect{opaque, c.yes}, "yes", "unknown"},
			{[]toolverdict.Effect{opaque}, "unknown", "unknown"},
			{[]toolverdict.Effect{future}, "unknown", "unknown"},
			{nil, "nothing", "nothing"},
		}
		if c.dim.Kind != "" {
			rows = append(rows, row{[]toolverdict.Effect{c.dim}, "unknown", "unknown"}, row{[]toolverdict.Effect{c.dim, c.no}, "unknown", "no"}, row{[]toolverdict.Effect{c.dim, c.yes}, "yes", "unknown"})
		}
		if c.lacking.Kind != "" {
			rows = append(rows, row{[]toolverdict.Effect{c.lacking}, "no", "no"}, row{[]toolverdict.Effect{c.lacking, c.yes}, "yes", "no"})
		}
		for _, form := range []string{"effects.any", "effects.every"} {
			when, not := probeEffects(t, "when: {"+form+": {"+c.test+"}}"), probeEffects(t, "when: {not: {"+form+": {"+c.test+"}}}")
			unless := probeEffects(t, "unless: {"+form+": {"+c.test+"}}")
			for _, r := range rows {
				truth := r.truthAny
				if form == "effects.every" {
					truth = r.truthE
				}
				got := [3]outcome{when(r.effects...), not(r.effects...), unless(r.effects...)}
				// Whether strict rules and allow rules match: when, and when not.
				w := map[string][4]bool{
					"yes": {true, true, false, false}, "no": {false, false, true, true}, "unknown": {true, false, true, false},
					"nothing": {false, false, true, false},
				}[truth]
				for i, o := range got {
					strict, allow := w[0], w[1]
					if i > 0 {
						strict, allow = w[2], w[3]
					}
					count++
					if o.deny != strict || o.ask != strict || o.allow != allow {
						t.Errorf("%s, %s, way %d, %+v (%s): deny %v, ask %v, allow %v; want %v, %v", c.name, form, i, r.effects, truth, o.deny, o.ask, o.allow, strict, allow)
					}
				}
			}
		}
	}
	t.Logf("%d cells", count)
}

// TestEffectKinds: an opaque effect may be of any kind, but for what a rule says
// of opaque ones.
func TestEffectKinds(t *testing.T) {
	t.Parallel()
	opaque, write := toolverdict.Effect{Kind: toolverdict.EffectOpaque, Source: "/a"}, toolverdict.Effect{Kind: toolverdict.EffectWrite, Path: "/a"}
	sure, no, unknown := outcome{deny: true, ask: true, allow: true}, outcome{}, outcome{deny: true, ask: true, unknown: true}
	for test, want := range map[string][2]outcome{ // of opaque, of write
		"kind: write":                               {unknown, sure},
		"kind: delete":                              {unknown, no},
		"kind: opaque":                              {sure, no},
		"kind: [delete, opaque]":                    {sure, no},
		"kind: {ne: write}":                         {unknown, no},
		"kind: {ne: opaque}":                        {no, sure},
		"kind: {notIn: [delete, opaque]}":           {no, sure},
		"kind: {eq: write, ne: opaque}":             {no, sure},
		"kind: {not: write}":                        {unknown, no},
		"kind: {not: [opaque, read]}":               {no, sure},
		"not: {kind: write}":                        {unknown, no},
		"not: {kind: opaque}":                       {no, sure},
		"source: /a":                                {sure, unknown},
		"source: /b":                                {no, unknown},
		"path: {exists: true}":                      {unknown, sure},
		"path: {exists: false}":                     {unknown, no},
		"host: {exists: true}":                      {unknown, no},
		"host: {exists: false}":                     {unknown, sure},
		"host: {not: {exists: true}}":               {unknown, sure},
		"host: {exists: false, prefix: a}":          {unknown, no},
		"not: {host: a}":                            {unknown, sure},
		"any: [{path: /a}, {host: a}]":              {unknown, sure},
		"all: [{path: /a}, {not: {host: a}}]":       {unknown, sure},
		"path: /a, not: {path: {under: /b}}":        {unknown, sure},
		"any: [{kind: opaque}, {path: /b}]":         {sure, no},
		"any: [{kind: {ne: opaque}}, {path: /nil}]": {unknown, sure},
	} {
		got := probeEffects(t, "when: {effects.any: {"+test+"}}")
		if o, w := got(opaque), got(write); o != want[0] || w != want[1] {
			t.Errorf("%s: opaque %+v, write %+v; want %+v, %+v", test, o, w, want[0], want[1])
		}
	}
}

// TestNoRoles: what a tool does whose arguments have no roles is not known; with
// roles, no effects means none. Neither lets an allow rule pass.
func TestNoRoles(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"effects.any", "effects.every"} {
		for _, how := range []string{"when: {%s: {kind: read}}", "when: {not: {%s: {kind: read}}}", "unless: {%s: {kind: read}}"} {
			condition := fmt.Sprintf(how, form)
			if got := probe(t, condition)(toolverdict.Request{}); !got.deny || !got.ask || !got.unknown || got.allow {
				t.Errorf("%s without roles: %+v", condition, got)
			}
			positive := strings.HasPrefix(how, "when: {%")
			if got := probeEffects(t, condition)(); got.deny == positive || got.ask == positive || got.unknown || got.allow {
				t.Errorf("%s with roles and no effects: %+v", condition, got)
			}
			// What is there counts, roles or not.
			got := probe(t, condition)(toolverdict.Request{Effects: []toolverdict.Effect{{Kind: toolverdict.EffectRead, Path: "/a"}}})
			if got.deny != positive || got.allow != positive || got.unknown {
				t.Errorf("%s without roles, with an effect: %+v", condition, got)
			}
		}
	}
}

// TestManyEffects: more than are looked at is unknown.
func TestManyEffects(t *testing.T) {
	t.Parallel()
	many := slices.Repeat([]toolverdict.Effect{{Kind: toolverdict.EffectRead, Path: "/a"}}, 10_001)
	for _, condition := range []string{"when: {effects.any: {kind: read}}", "when: {effects.every: {kind: read}}", "when: {effects.any: {kind: write}}"} {
		p := probeEffects(t, condition)
		if got := p(many...); !got.deny || !got.unknown || got.allow {
			t.Errorf("%s of too many: %+v", condition, got)
		}
		if got := p(many[1:]...); got.unknown {
			t.Errorf("%s of as many as can be: %+v", condition, got)
		}
	}
}

// TestKnownPrograms: a program that is known is judged by what it does, unless
// the condition asks about programs.
func TestKnownPrograms(t *testing.T) {
	t.Parallel()
	rm := toolverdict.Effect{Kind: toolverdict.EffectExecute, Program: "rm", Argv: []string{"rm", "x"}, Known: true}
	other := toolverdict.Effect{Kind: toolverdict.EffectExecute, Program: "tool", Argv: []string{"tool"}}
	scratch := toolverdict.Effect{Kind: toolverdict.EffectDelete, Path: "/tmp/scratch/x"}
	home := toolverdict.Effect{Kind: toolverdict.EffectDelete, Path: "/home/x", Deep: true}
	opaque := toolverdict.Effect{Kind: toolverdict.EffectOpaque}
	const scratchOnly = "effects.every: {kind: delete, path: {under: /tmp/scratch}}"
	for name, c := range map[string]struct {
		condition string
		effects   []toolverdict.Effect
		allow     bool
	}{
		"what it does":         {scratchOnly, []toolverdict.Effect{rm, scratch}, true},
		"what it does besides": {scratchOnly, []toolverdict.Effect{rm, scratch, home}, false},
		"nothing":              {scratchOnly, []toolverdict.Effect{rm}, true},
		"a program not known":  {scratchOnly, []toolverdict.Effect{rm, scratch, other}, false},
		"an opaque one":        {scratchOnly, []toolverdict.Effect{rm, scratch, opaque}, false},
		"asks for kinds":       {"effects.every: {kind: [delete, execute]}", []toolverdict.Effect{rm, scratch}, true},
		"excludes programs":    {"effects.every: {kind: {ne: execute}}", []toolverdict.Effect{rm, scratch}, false},
		"not programs":         {"effects.every: {not: {kind: execute}}", []toolverdict.Effect{rm, scratch}, false},
		"names programs":       {"effects.every: {any: [{program: ls}, {kind: delete}]}", []toolverdict.Effect{rm, scratch}, false},
		"names this program":   {"effects.every: {any: [{program: rm}, {kind: delete}]}", []toolverdict.Effect{rm, scratch}, true},
		"asks for words":       {"effects.every: {any: [{argv: {any: y}}, {kind: delete}]}", []toolverdict.Effect{rm, scratch}, false},
		"any sees it":          {"effects.any: {kind: execute}", []toolverdict.Effect{rm, scratch}, true},
	} {
		if got := probeEffects(t, "when: {"+c.condition+"}")(c.effects...); got.allow != c.allow || got.allow && got.unknown {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestDestructiveShell is the example of the design: deletions and what cannot
// be understood are refused, but where all of it is in the scratch folder.
func TestDestructiveShell(t *testing.T) {
	t.Parallel()
	tools := catalog{withRoles(t, "p/execute_shell", "shell")}
	s := compile(t, rules(`  - id: allow-shell
    verdict: allow
    reason: Commands may run
    tools: p/execute_shell
  - id: deny-destructive-shell
    verdict: deny
    reason: Deletions only in the scratch folder
    tools: execute_shell
    when: {effects.any: {kind: [delete, opaque]}}
    unless: {effects.every: {kind: delete, path: {under: /tmp/scratch}}}
    match:
      - {args: {}, effects: [{kind: delete, path: /srv}]}
      - {args: {}, effects: [{kind: delete}]}
      - {args: {}, effects: [{kind: opaque}]}
      - {args: {}}
    noMatch:
      - {args: {}, effects: [{kind: execute, program: rm, argv: [rm, a], known: true}, {kind: delete, path: /tmp/scratch/a}]}
      - {args: {}, effects: []}
`), tools)
	rm := toolverdict.Effect{Kind: toolverdict.EffectExecute, Program: "rm", Known: true}
	del := func(path string, deep bool) toolverdict.Effect {
		return toolverdict.Effect{Kind: toolverdict.EffectDelete, Path: path, Deep: deep}
	}
	for name, c := range map[string]struct {
		effects []toolverdict.Effect
		want    toolverdict.Verdict
	}{
		"in it":          {[]toolverdict.Effect{rm, del("/tmp/scratch/a", true)}, toolverdict.Allow},
		"all of it":      {[]toolverdict.Effect{rm, del("/tmp/scratch", true)}, toolverdict.Allow},
		"beside it":      {[]toolverdict.Effect{rm, del("/tmp/scratches", false)}, toolverdict.Deny},
		"above it":       {[]toolverdict.Effect{rm, del("/tmp", true)}, toolverdict.Deny},
		"both":           {[]toolverdict.Effect{rm, del("/tmp/scratch/a", false), del("/srv", true)}, toolverdict.Deny},
		"somewhere":      {[]toolverdict.Effect{rm, del("", false)}, toolverdict.Deny},
		"not understood": {[]toolverdict.Effect{{Kind: toolverdict.EffectOpaque}}, toolverdict.Deny},
		"no deletion":    {[]toolverdict.Effect{{Kind: toolverdict.EffectRead, Path: "/srv/a"}}, toolverdict.Allow},
		"another shape":  {[]toolverdict.Effect{rm, {Kind: toolverdict.EffectDelete, Path: "/tmp/scratch", Deep: true, Pattern: "/tmp/scratch/*"}}, toolverdict.Allow},
	} {
		if d := s.Decide(toolverdict.Request{Tool: tools[0], Effects: c.effects}); d.Verdict != c.want {
			t.Errorf("%s: %s by %q", name, d.Verdict, d.Rule)
		}
	}
}

// TestReach: what a path may reach counts, in all cases and with names folded
// where the file system does.
func TestReach(t *testing.T) {
	t.Parallel()
	type E = toolverdict.Effect
	const read = toolverdict.EffectRead
	sure, no, unknown := outcome{deny: true, ask: true, allow: true}, outcome{}, outcome{deny: true, ask: true, unknown: true}
	for _, c := range []struct {
		test   string
		effect E
		want   outcome
	}{
		{`{glob: "*/.env"}`, E{Kind: read, Path: "/srv/app", Deep: true}, unknown},
		{`{glob: "*/.env"}`, E{Kind: read, Path: "/srv/app", Deep: true, Pattern: "/srv/app/*.txt"}, no},
		{`{glob: "*/.env"}`, E{Kind: read, Path: "/srv/app", Deep: true, Pattern: "/srv/app/*"}, no},
		{`{glob: "*/.env"}`, E{Kind: read, Path: "/srv/app", Deep: true, Pattern: "/srv/app/.e*"}, unknown},
		{`{glob: "*/.env"}`, E{Kind: read, Path: "/srv/app", Deep: true, Pattern: "/srv/app/**/.env"}, sure},
		{`{under: /srv}`, E{Kind: read, Path: "/srv/app", Deep: true}, sure},
		{`{under: /srv/app/secret}`, E{Kind: read, Path: "/srv/app", Deep: true}, unknown},
		{`{under: /srv/app/secret}`, E{Kind: read, Path: "/srv/app", Deep: true, Pattern: "/srv/app/*.txt"}, no},
		{`{under: /etc}`, E{Kind: read, Path: "/", Deep: true}, unknown},
		{`{under: /}`, E{Kind: read, Path: "/", Deep: true}, sure},
		{`{not: {under: /srv}}`, E{Kind: read, Path: "/srv", Deep: true}, no},
		{`{regex: "/srv.*"}`, E{Kind: read, Path: "/srv", Deep: true}, unknown},
		{`{length: 4}`, E{Kind: read, Path: "/srv", Deep: true}, unknown},
		{`{exists: true}`, E{Kind: read, Path: "/srv", Deep: true}, sure},
		{`{under: /Srv/App}`, E{Kind: read, Path: "/srv/app/x", Folded: true}, sure},
		{`{under: /Srv/App}`, E{Kind: read, Path: "/srv/app/x"}, unknown},
		{`{eq: "/srv/Ünï"}`, E{Kind: read, Path: "/srv/u\u0308ni\u0308", Folded: true}, sure},
		{`{eq: "/srv/ünï"}`, E{Kind: read, Path: "/srv/u\u0308ni\u0308"}, no},
		{`{glob: "*/.ENV"}`, E{Kind: read, Path: "/srv/.env", Folded: true}, sure},
		{`{suffix: .Pem}`, E{Kind: read, Path: "/srv/a.PEM", Folded: true}, sure},
		{`{regex: "/srv/.*"}`, E{Kind: read, Path: "/srv/a", Folded: true}, unknown},
		{`{under: /srv}`, E{Kind: read, Path: "srv"}, unknown},
		{`{under: /srv}`, E{Kind: read, Path: "/srv/../etc"}, unknown},
		{`{under: C:/Data}`, E{Kind: read, Path: "c:/data/a", Folded: true}, sure},
		{`{under: C:/Data}`, E{Kind: read, Path: "/data/a"}, no},
	} {
		if got := probeEffects(t, "when: {effects.any: {path: "+c.test+"}}")(c.effect); got != c.want {
			t.Errorf("%s of %+v: %+v, want %+v", c.test, c.effect, got, c.want)
		}
	}
}

// TestDeep: a glob that picks some names of a folder is not deep: a rule that
// leaves searches alone still meets ".e*".
func TestDeep(t *testing.T) {
	t.Parallel()
	for pattern, deep := range map[string]bool{
		"": true, "/srv/app/*": true, "/srv/app/**": true, "/srv/app/a*/**": true, "/srv/app/**/*.go": true,
		"/srv/app/.e*": false, "/srv/app/a?": false, "/srv/*/.env": false,
	} {
		want := outcome{}
		if deep {
			want = outcome{deny: true, ask: true, allow: true}
		}
		e := toolverdict.Effect{Kind: toolverdict.EffectRead, Path: "/srv/app", Deep: true, Pattern: pattern}
		if got := probeEffects(t, "when: {effects.any: {deep: true}}")(e); got != want {
			t.Errorf("%q: %+v, want %+v", pattern, got, want)
		}
	}
}

// TestAnalyse: examples that list no effects are analysed where the caller can.
func TestAnalyse(t *testing.T) {
	t.Parallel()
	tools := catalog{withRoles(t, "p/rm", "path")}
	text := rules(`  - id: deny-etc
    verdict: deny
    reason: Nothing there
    tools: p/rm
    when: {effects.any: {path: {under: /etc}}}
    match: [{path: /etc/passwd}]
    noMatch: [{path: /srv/a}, {args: {}, effects: [{kind: delete, path: /srv}]}]
`)
	if _, _, err := load(t, tools, policy.Options{}, text); err == nil || !strings.Contains(err.Error(), "effects: [{kind: delete") {
		t.Errorf("without an analyser: %v", err)
	}
	analyse := func(_ *toolverdict.Tool, v toolverdict.Value, _ map[string]string) []toolverdict.Effect {
		p, _ := v.Get("path")
		return []toolverdict.Effect{{Kind: toolverdict.EffectDelete, Path: p.Text()}}
	}
	if _, _, err := load(t, tools, policy.Options{Analyse: analyse}, text); err != nil {
		t.Error(err)
	}
	// A tool that is not there yet has no roles that could be read: its examples
	// are tried once it is.
	if _, _, err := load(t, catalog{}, policy.Options{Analyse: analyse, Discovery: true}, text); err != nil {
		t.Error(err)
	}
	wrong := strings.Replace(text, "/etc/passwd", "/srv/b", 1)
	for name, tools := range map[string]catalog{"is there": tools, "comes later, and all tools are known": {}} {
		if _, _, err := load(t, tools, policy.Options{Analyse: analyse, Discovery: name == "is there"}, wrong); err == nil {
			t.Errorf("a wrong example of a tool that %s went through", name)
		}
	}
}
