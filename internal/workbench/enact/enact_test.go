// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enact_test

import (
	"encoding/json"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/workbench/enact"
	"github.com/toolverdict/toolverdict/policy"
	"github.com/toolverdict/toolverdict/policy/compare"
)

// worker is a tool with an argument of each kind.
func worker(t *testing.T, roles map[string]tv.Role, safety tv.Safety) *tv.Tool {
	t.Helper()
	return gatetest.Tool("work", func(d *tv.Definition) {
		d.Safety, d.Roles, d.Place = safety, roles, tv.Place{Root: "/srv/app"}
	})
}

// TestMade: what is made has the wanted effects, when it is analysed.
func TestMade(t *testing.T) {
	t.Parallel()
	files := tv.Role{Kind: tv.RolePath, Uses: []string{"read"}}
	target := tv.Role{Kind: tv.RolePath, Uses: []string{"write"}}
	for name, c := range map[string]struct {
		role tv.Role
		want []tv.Effect
	}{
		"a command that reads":       {tv.Role{Kind: tv.RoleShell}, []tv.Effect{{Kind: tv.EffectRead, Path: "/etc/it's"}}},
		"a command that deletes":     {tv.Role{Kind: tv.RoleShell}, []tv.Effect{{Kind: tv.EffectDelete, Path: "/srv", Deep: true}}},
		"a command that does both":   {tv.Role{Kind: tv.RoleShell}, []tv.Effect{{Kind: tv.EffectDelete, Path: "/a"}, {Kind: tv.EffectWrite, Path: "/b c"}}},
		"a command that lists":       {tv.Role{Kind: tv.RoleShell}, []tv.Effect{{Kind: tv.EffectRead, Path: "/a", Names: true}}},
		"a command that searches":    {tv.Role{Kind: tv.RoleShell}, []tv.Effect{{Kind: tv.EffectRead, Path: "/a", Deep: true}}},
		"a command that writes deep": {tv.Role{Kind: tv.RoleShell}, []tv.Effect{{Kind: tv.EffectWrite, Path: "/a", Deep: true}}},
		"a program":                  {tv.Role{Kind: tv.RoleShell}, []tv.Effect{{Kind: tv.EffectExecute, Program: "git", Verb: "push"}}},
		"a program's words":          {tv.Role{Kind: tv.RoleShell}, []tv.Effect{{Kind: tv.EffectExecute, Program: "git", Argv: []string{"git", "push", "a b"}}}},
		"an unknown program":         {tv.Role{Kind: tv.RoleShell}, []tv.Effect{{Kind: tv.EffectExecute, Program: "frobnicate"}}},
		"a command that connects":    {tv.Role{Kind: tv.RoleShell}, []tv.Effect{{Kind: tv.EffectConnect, Host: "a.example", Port: 8443, Scheme: "https"}}},
		"what is not understood":     {tv.Role{Kind: tv.RoleShell}, []tv.Effect{{Kind: tv.EffectOpaque}}},
		"a statement":                {tv.Role{Kind: tv.RoleSQL, Dialect: "sqlite"}, []tv.Effect{{Kind: tv.EffectQuery, Query: &tv.Query{Statement: 1, Verb: "delete", Changes: []string{"users"}}}}},
		"a bounded statement":        {tv.Role{Kind: tv.RoleSQL, Dialect: "sqlite"}, []tv.Effect{{Kind: tv.EffectQuery, Query: &tv.Query{Statement: 1, Verb: "update", Changes: []string{"users"}, Bounded: true}}}},
		"a selection":                {tv.Role{Kind: tv.RoleSQL, Dialect: "sqlite"}, []tv.Effect{{Kind: tv.EffectQuery, Query: &tv.Query{Statement: 1, Verb: "select", Reads: []string{"a"}, Columns: []string{"b"}, Limit: 3, Bounded: true}}}},
		"a second statement":         {tv.Role{Kind: tv.RoleSQL, Dialect: "sqlite"}, []tv.Effect{{Kind: tv.EffectQuery, Query: &tv.Query{Statement: 2, Verb: "drop", Changes: []string{"a"}}}}},
		"no statement":               {tv.Role{Kind: tv.RoleSQL, Dialect: "sqlite"}, []tv.Effect{{Kind: tv.EffectOpaque}}},
		"a path":                     {files, []tv.Effect{{Kind: tv.EffectRead, Path: "/etc/passwd"}}},
		"a path to write":            {target, []tv.Effect{{Kind: tv.EffectWrite, Path: "/etc/passwd"}}},
		"a URL":                      {tv.Role{Kind: tv.RoleURL}, []tv.Effect{{Kind: tv.EffectConnect, Host: "a.example", Port: 443}}},
		"an inner network":           {tv.Role{Kind: tv.RoleURL}, []tv.Effect{{Kind: tv.EffectConnect, Network: "metadata"}}},
		"an address of six":          {tv.Role{Kind: tv.RoleURL}, []tv.Effect{{Kind: tv.EffectConnect, IP: "::1"}}},
		"a recipient":                {tv.Role{Kind: tv.RoleEmail}, []tv.Effect{{Kind: tv.EffectSend, Recipient: "a@b.example"}, {Kind: tv.EffectSend, Domain: "c.example"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := worker(t, map[string]tv.Role{"/it": c.role}, tv.Destructive)
			made := enact.Make(tool, canon.Object(), c.want)
			for _, args := range made {
				if has(effect.Effects(tool, args, nil), c.want) {
					return
				}
			}
			t.Errorf("of %v none has %v: %+v", made, c.want, effect.Effects(tool, made[0], nil))
		})
	}
}

// has reports whether the wanted effects are among those that were found, as far
// as they say something.
func has(found, want []tv.Effect) bool {
	for _, w := range want {
		ok := false
		for _, f := range found {
			fits := f.Kind == w.Kind && f.Deep == w.Deep && f.Names == w.Names && strings.HasPrefix(f.Path, w.Path) &&
				strings.HasPrefix(f.Program, w.Program) && (w.Verb == "" || f.Verb == w.Verb) && (w.Host == "" || f.Host == w.Host) && (w.Port == 0 || f.Port == w.Port) &&
				(w.Network == "" || f.Network == w.Network) && (w.IP == "" || f.IP == w.IP) && (w.Recipient == "" || f.Recipient == w.Recipient) && (w.Domain == "" || f.Domain == w.Domain)
			if w.Query != nil && fits {
				fits = f.Query.Verb == w.Query.Verb && f.Query.Statement == w.Query.Statement && f.Query.Bounded == w.Query.Bounded && f.Query.Limit == w.Query.Limit
			}
			ok = ok || fits
		}
		if !ok {
			return false
		}
	}
	return true
}

// TestNotMade: what no argument can say is not made.
func TestNotMade(t *testing.T) {
	t.Parallel()
	reads := map[string]tv.Role{"/a": {Kind: tv.RolePath, Uses: []string{"read"}}}
	for name, c := range map[string]struct {
		roles map[string]tv.Role
		want  []tv.Effect
	}{
		"another use":      {reads, []tv.Effect{{Kind: tv.EffectDelete, Path: "/a"}}},
		"two of one place": {reads, []tv.Effect{{Kind: tv.EffectRead, Path: "/a"}, {Kind: tv.EffectRead, Path: "/b"}}},
		"an inner place":   {map[string]tv.Role{"/a/b": {Kind: tv.RolePath, Uses: []string{"read"}}}, []tv.Effect{{Kind: tv.EffectRead, Path: "/a"}}},
		"another kind":     {reads, []tv.Effect{{Kind: tv.EffectSpend, Amount: "1"}}},
	} {
		if made := enact.Make(worker(t, c.roles, tv.Destructive), canon.Object(), c.want); made != nil {
			t.Errorf("%s: %v", name, made)
		}
	}
}

// TestWitnessesCanBeMade: a change of rules about effects is shown by a call
// that can be made, and where none was found, that is said.
func TestWitnessesCanBeMade(t *testing.T) {
	t.Parallel()
	shell := gatetest.Catalog{worker(t, map[string]tv.Role{"/command": {Kind: tv.RoleShell}}, tv.Destructive)}
	only := gatetest.Catalog{worker(t, map[string]tv.Role{"/path": {Kind: tv.RolePath, Uses: []string{"read"}}}, tv.Destructive)}
	file := func(rules string) []policy.File {
		return []policy.File{{Name: "p.yaml", Content: []byte("policy: p\nversion: v1\nrules:\n  - {id: all, verdict: allow, reason: r, tools: server/work}\n" + rules)}}
	}
	rule := func(when string) string {
		return "  - {id: d, verdict: deny, reason: r, tools: server/work, when: " + when + "}\n"
	}
	for name, c := range map[string]struct {
		known         gatetest.Catalog
		before, after string
		call          string
		assumed       bool
	}{
		"a kind":        {shell, rule("{effects.any: {kind: delete}}"), rule("{effects.any: {kind: [delete, write]}}"), `"command":"touch `, false},
		"a folder":      {shell, rule("{effects.any: {kind: delete, path: {under: /srv/app}}}"), rule("{effects.any: {kind: delete, path: {under: /srv/other}}}"), `"command":"rm `, false},
		"a program":     {shell, rule("{effects.any: {program: git, verb: push}}"), "", `"command":"git`, false},
		"no such thing": {only, rule("{effects.any: {kind: send}}"), "", `"effects":[{"kind":"send"`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			maker := enact.Maker()
			r, err := compare.Policies(file(c.before), file(c.after), c.known, maker)
			if err != nil || len(r.Witnesses) == 0 {
				t.Fatalf("%+v, %v", r, err)
			}
			for _, w := range r.Witnesses {
				if w.Assumed != c.assumed || strings.Contains(string(w.Call), `"effects"`) != c.assumed {
					t.Errorf("assumed %t: %s", w.Assumed, w.Call)
				}
			}
			if !strings.Contains(string(r.Witnesses[0].Call), c.call) {
				t.Errorf("%s does not hold %s", r.Witnesses[0].Call, c.call)
			}
			if c.assumed {
				return
			}
			var call struct{ Args json.RawMessage }
			if err := json.Unmarshal(r.Witnesses[0].Call, &call); err != nil {
				t.Fatal(err)
			}
			args, err := canon.ParseObject(call.Args, canon.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			for i, rules := range []string{c.before, c.after} {
				set, _, err := policy.Compile(file(rules), c.known, policy.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got := set.Decide(tv.Request{Tool: c.known[0], Arguments: args, Effects: effect.Effects(c.known[0], args, nil)}).Verdict
				if want := []compare.Side{r.Witnesses[0].Old, r.Witnesses[0].New}[i].Verdict; got != want {
					t.Errorf("policy %d says %s to %s, want %s", i, got, args.RawText(), want)
				}
			}
		})
	}
}

// TestReadOnlyToolsDoNoMore: a call that the gate refuses before the rules is no
// witness.
func TestReadOnlyToolsDoNoMore(t *testing.T) {
	t.Parallel()
	known := gatetest.Catalog{worker(t, map[string]tv.Role{"/command": {Kind: tv.RoleShell}}, tv.ReadOnly)}
	file := func(kind string) []policy.File {
		return []policy.File{{Name: "p.yaml", Content: []byte("policy: p\nversion: v1\nrules:\n  - {id: all, verdict: allow, reason: r, tools: server/work, when: {effects.every: {kind: [" + kind + "]}}}\n")}}
	}
	r, err := compare.Policies(file("read, delete"), file("read"), known, enact.Maker())
	if err != nil || len(r.Witnesses) > 0 || r.Status != compare.Unknown {
		t.Errorf("%s: %+v, %v", r.Status, r.Witnesses, err)
	}
}
