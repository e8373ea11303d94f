// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package suggest_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
	"github.com/toolverdict/toolverdict/internal/workbench/suggest"
	"github.com/toolverdict/toolverdict/policy"
)

type anything struct{}

func (anything) Clash(tv.Value) (tv.FieldError, bool) { return tv.FieldError{}, false }

func (anything) Validate(tv.Value) []tv.FieldError { return nil }

type catalogOf []*tv.Tool

func (c catalogOf) Tool(name string) (*tv.Tool, bool) {
	for _, t := range c {
		if t.Name() == name {
			return t, true
		}
	}
	return nil, false
}

func (c catalogOf) Tools() []*tv.Tool { return c }

func tools(t testing.TB) catalogOf {
	t.Helper()
	var out catalogOf
	for name, roles := range map[string]map[string]tv.Role{
		"dev/run":  {"/command": {Kind: tv.RoleShell, Base: "/srv/app"}},
		"file/get": {"/path": {Kind: tv.RolePath, Uses: []string{"read"}, Base: "/srv/app"}, "/options/log": {Kind: tv.RolePath, Uses: []string{"write"}}},
		"web/get":  {"/url": {Kind: tv.RoleURL}},
		"db/query": {"/sql": {Kind: tv.RoleSQL, Dialect: "sqlite"}},
		"pay/out":  {"/amount": {Kind: tv.RoleMoney, Currency: "EUR"}},
		"s/t":      nil,
	} {
		server, _, _ := strings.Cut(name, "/")
		tool, err := tv.NewTool(tv.Definition{Name: name, Server: server, Roles: roles, Safety: tv.Destructive, Risk: tv.LowRisk, Confirmation: tv.ConfirmByRisk, Execution: tv.Parallel}, anything{})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, tool)
	}
	return out
}

func read(t testing.TB, lines ...string) []calls.Call {
	t.Helper()
	list, err := calls.Read("calls", strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func suggested(t testing.TB, list []calls.Call) (suggest.Suggested, *policy.Set) {
	t.Helper()
	known := tools(t)
	out, err := suggest.Policy(list, suggest.Options{Policy: "seen", Version: "v1", Known: known})
	if err != nil {
		t.Fatal(err)
	}
	set, report, err := policy.Compile([]policy.File{{Name: "seen.yaml", Content: out.File.YAML()}}, known, policy.Options{Analyse: effect.Effects})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.File.YAML())
	}
	if len(report.Warnings) > 0 {
		t.Logf("%v", report.Warnings)
	}
	return out, set
}

func decide(t testing.TB, set *policy.Set, tool, args string) tv.Verdict {
	t.Helper()
	known, ok := tools(t).Tool(tool)
	v, err := canon.ParseObject([]byte(args), canon.Limits{})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return set.Decide(tv.Request{Tool: known, Arguments: v, Effects: effect.Effects(known, v, nil)}).Verdict
}

func many(n int, format string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(format, i)
	}
	return out
}

func TestWhatIsLetThroughAndWhatNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		calls []string
		tool  string
		want  map[string]tv.Verdict
		says  string
	}{
		"few values": {
			calls: []string{`{"tool": "s/t", "args": {"mode": "a"}}`, `{"tool": "s/t", "args": {"mode": "b"}}`}, tool: "s/t",
			want: map[string]tv.Verdict{`{"mode": "a"}`: tv.Allow, `{"mode": "c"}`: tv.Deny, `{"mode": "a", "force": true}`: tv.Deny, `{}`: tv.Deny, `{"mode": ["a"]}`: tv.Allow}, says: "mode: 2 different in 2",
		},
		"an argument that is left out at times": {
			calls: []string{`{"tool": "s/t", "args": {"mode": "a"}}`, `{"tool": "s/t"}`}, tool: "s/t",
			want: map[string]tv.Verdict{`{"mode": "a"}`: tv.Allow, `{}`: tv.Allow, `{"mode": "b"}`: tv.Deny, `{"x": 1}`: tv.Deny}, says: "left out once",
		},
		"numbers": {
			calls: many(30, `{"tool": "s/t", "args": {"n": %d.5}}`), tool: "s/t",
			want: map[string]tv.Verdict{`{"n": 0.5}`: tv.Allow, `{"n": 29.5}`: tv.Allow, `{"n": 29.51}`: tv.Deny, `{"n": "1"}`: tv.Deny}, says: "from 0.5 to 29.5",
		},
		"ids of a form": {
			calls: many(40, `{"tool": "s/t", "args": {"id": "A1%03d"}}`), tool: "s/t",
			want: map[string]tv.Verdict{`{"id": "A19999"}`: tv.Deny, `{"id": "A1007"}`: tv.Allow, `{"id": "B1007"}`: tv.Deny, `{"id": "A1007; rm"}`: tv.Deny}, says: "of the form A",
		},
		"paths below folders": {
			calls: many(40, `{"tool": "s/t", "args": {"p": "/srv/app/d%d/x.txt"}}`), tool: "s/t",
			want: map[string]tv.Verdict{`{"p": "/srv/app/other"}`: tv.Allow, `{"p": "/srv/application"}`: tv.Deny, `{"p": "/srv/app/../x"}`: tv.Deny, `{"p": "/etc/passwd"}`: tv.Deny}, says: "paths below /srv/app",
		},
		"paths all over": {
			calls: many(40, `{"tool": "s/t", "args": {"p": "/d%d/x.txt"}}`), tool: "s/t",
			want: map[string]tv.Verdict{`{"p": "/d1/x.txt"}`: tv.Allow, `{"p": "/d1/x.txt/../../etc/passwd"}`: tv.Deny, `{"p": "/etc/pw.txt"}`: tv.Deny}, says: "of the form /d",
		},
		"URLs by host": {
			calls: many(40, `{"tool": "s/t", "args": {"u": "https://docs.example.com/page/%d"}}`), tool: "s/t",
			want: map[string]tv.Verdict{`{"u": "https://docs.example.com/other"}`: tv.Allow, `{"u": "http://docs.example.com/"}`: tv.Deny, `{"u": "https://docs.example.com@evil.example/"}`: tv.Deny}, says: "URLs at 1 hosts",
		},
		"free text": {
			calls: many(30, `{"tool": "s/t", "args": {"q": "what is %d and why"}}`), tool: "s/t",
			want: map[string]tv.Verdict{`{"q": "anything"}`: tv.Allow, `{"q": "` + strings.Repeat("x", 50) + `"}`: tv.Deny}, says: "any text of at most 18 characters",
		},
		"lists": {
			calls: []string{`{"tool": "s/t", "args": {"to": ["a@x.example", "b@x.example"]}}`, `{"tool": "s/t", "args": {"to": []}}`}, tool: "s/t",
			want: map[string]tv.Verdict{`{"to": ["b@x.example"]}`: tv.Allow, `{"to": ["c@x.example"]}`: tv.Deny, `{"to": []}`: tv.Allow, `{"to": ["a@x.example", "c@x.example"]}`: tv.Deny},
		},
		"objects are for a person": {
			calls: []string{`{"tool": "s/t", "args": {"o": {"a": 1}}}`}, tool: "s/t",
			want: map[string]tv.Verdict{`{"o": {"a": 1}}`: tv.Ask}, says: "no bound",
		},
		"commands by what they do": {
			calls: many(30, `{"tool": "dev/run", "args": {"command": "cat /srv/app/src/f%d.txt"}}`), tool: "dev/run",
			want: map[string]tv.Verdict{`{"command": "cat /srv/app/src/other"}`: tv.Allow, `{"command": "cat /etc/passwd"}`: tv.Deny, `{"command": "cat /srv/app/src/a; rm /srv/app/src/a"}`: tv.Deny, `{"command": "cat /srv/app/src/a", "sudo": true}`: tv.Deny}, says: "read: paths below /srv/app/src",
		},
		"commands whose program nobody knows": {
			calls: []string{`{"tool": "dev/run", "args": {"command": "frobnicate --all"}}`, `{"tool": "dev/run", "args": {"command": "cat /srv/app/x/a"}}`}, tool: "dev/run",
			want: map[string]tv.Verdict{`{"command": "frobnicate --all"}`: tv.Allow, `{"command": "frobnicate --none"}`: tv.Deny, `{"command": "cat /srv/app/x/b"}`: tv.Allow}, says: "word for word",
		},
		"too many of those": {
			calls: many(30, `{"tool": "dev/run", "args": {"command": "frobnicate %d"}}`), tool: "dev/run",
			want: map[string]tv.Verdict{`{"command": "frobnicate 1"}`: tv.Ask},
		},
		"statements by their names": {
			calls: []string{`{"tool": "db/query", "args": {"sql": "select a from users where id = 1"}}`, `{"tool": "db/query", "args": {"sql": "select a from orders where id = 1"}}`}, tool: "db/query",
			want: map[string]tv.Verdict{`{"sql": "select a from users where id = 7"}`: tv.Allow, `{"sql": "delete from users"}`: tv.Deny, `{"sql": "select a from secrets"}`: tv.Deny, `{"sql": "select password from users where id = 7"}`: tv.Deny, `{"sql": "select * from users where id = 7"}`: tv.Deny},
		},
		"statements with all columns": {
			calls: []string{`{"tool": "db/query", "args": {"sql": "select * from users where id = 1"}}`}, tool: "db/query",
			want: map[string]tv.Verdict{`{"sql": "select * from users where id = 7"}`: tv.Allow, `{"sql": "select b from users where id = 7"}`: tv.Allow, `{"sql": "select * from secrets where id = 7"}`: tv.Deny},
		},
		"names are not contents": {
			calls: []string{`{"tool": "dev/run", "args": {"command": "ls /srv/app/private/x"}}`, `{"tool": "dev/run", "args": {"command": "cat /srv/app/public/y"}}`, `{"tool": "dev/run", "args": {"command": "ls /srv/app/private/y"}}`}, tool: "dev/run",
			want: map[string]tv.Verdict{`{"command": "ls /srv/app/private/x"}`: tv.Allow, `{"command": "cat /srv/app/public/z"}`: tv.Allow, `{"command": "ls /srv/app/public/y"}`: tv.Allow, `{"command": "cat /srv/app/private/x"}`: tv.Deny}, says: "read: names of paths below /srv/app/private",
		},
		"hosts with their ports": {
			calls: []string{`{"tool": "web/get", "args": {"url": "https://a.example.com/x"}}`, `{"tool": "web/get", "args": {"url": "http://b.example.com:8080/x"}}`}, tool: "web/get",
			want: map[string]tv.Verdict{`{"url": "https://a.example.com/y"}`: tv.Allow, `{"url": "http://b.example.com:8080/"}`: tv.Allow, `{"url": "https://a.example.com:8080/x"}`: tv.Deny, `{"url": "https://a.example.com:22/x"}`: tv.Deny, `{"url": "http://b.example.com/x"}`: tv.Deny, `{"url": "http://a.example.com:8080/x"}`: tv.Deny}, says: "connects to a.example.com, b.example.com",
		},
		"an object is not bounded by one member with a role": {
			calls: []string{`{"tool": "file/get", "args": {"path": "/srv/app/x/y", "options": {"log": "/srv/app/log/z", "sudo": false}}}`}, tool: "file/get",
			want: map[string]tv.Verdict{`{"path": "/srv/app/x/y", "options": {"log": "/srv/app/log/z", "sudo": true}}`: tv.Ask, `{"path": "/srv/app/x/y", "options": {"log": "/srv/app/log/z", "sudo": false}}`: tv.Ask},
		},
		"an object that is left out": {
			calls: []string{`{"tool": "file/get", "args": {"path": "/srv/app/x/y"}}`}, tool: "file/get",
			want: map[string]tv.Verdict{`{"path": "/srv/app/x/y"}`: tv.Allow, `{"path": "/etc/passwd"}`: tv.Deny},
		},
		"money": {
			calls: []string{`{"tool": "pay/out", "args": {"amount": "10.00"}}`, `{"tool": "pay/out", "args": {"amount": "99.50"}}`}, tool: "pay/out",
			want: map[string]tv.Verdict{`{"amount": "50.00"}`: tv.Allow, `{"amount": "99.51"}`: tv.Deny}, says: "at most 99.5 EUR",
		},
		"one call": {
			calls: []string{`{"tool": "s/t", "args": {"mode": "a"}}`}, tool: "s/t",
			want: map[string]tv.Verdict{`{"mode": "a"}`: tv.Allow}, says: "# 1 call of s/t.",
		},
		"one call word for word": {
			calls: []string{`{"tool": "dev/run", "args": {"command": "frobnicate --all"}}`}, tool: "dev/run",
			want: map[string]tv.Verdict{`{"command": "frobnicate --all"}`: tv.Allow}, says: "# 1 call of dev/run, word for word: what it does",
		},
		"what was asked about asks": {
			calls: []string{`{"tool": "s/t", "args": {"mode": "a"}, "verdict": "ask"}`}, tool: "s/t",
			want: map[string]tv.Verdict{`{"mode": "a"}`: tv.Ask, `{"mode": "b"}`: tv.Deny},
		},
		"what was denied does not count": {
			calls: []string{`{"tool": "s/t", "args": {"mode": "a"}}`, `{"tool": "s/t", "args": {"mode": "b"}, "verdict": "deny"}`}, tool: "s/t",
			want: map[string]tv.Verdict{`{"mode": "a"}`: tv.Allow, `{"mode": "b"}`: tv.Deny},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, set := suggested(t, read(t, c.calls...))
			for args, want := range c.want {
				if got := decide(t, set, c.tool, args); got != want {
					t.Errorf("%s: %s, want %s", args, got, want)
				}
			}
			if text := string(out.File.YAML()); !strings.Contains(text, c.says) || t.Failed() {
				t.Errorf("want %q in\n%s", c.says, text)
			}
		})
	}
}

func TestWhatARecordHidesIsNotMadeUp(t *testing.T) {
	t.Parallel()
	list := read(t, `{"tool": "s/t", "args": {"a": "x", "secret": "[secret 0a1b2c3d]"}}`)
	list[0].Hidden = []string{"/secret"}
	out, set := suggested(t, list)
	if got := decide(t, set, "s/t", `{"a": "x", "secret": "anything"}`); got != tv.Ask {
		t.Errorf("%s\n%s", got, out.File.YAML())
	}
	if text := string(out.File.YAML()); !strings.Contains(text, "of 1 the records hide arguments") || strings.Contains(text, "0a1b2c3d") {
		t.Errorf("%s", text)
	}
}

// The law: every call that a draft was made of passes it, and none that differs
// in an argument that was never seen.
func TestEveryCallThatWasSeenPasses(t *testing.T) {
	t.Parallel()
	values := rapid.SampledFrom([]string{`"a"`, `"A17"`, `"A18"`, `"/srv/app/x"`, `"/srv/app/y/z"`, `"/etc/passwd"`, `"https://a.example/x"`, `"a@b.example"`, `""`, `"two words"`, `1`, `2.5`, `-7`, `1e30`, `true`, `false`, `null`, `[]`, `["a"]`, `[1, "a"]`, `{"x": 1}`, `"é\u202e"`})
	commands := rapid.SampledFrom([]string{`"ls"`, `"cat /srv/app/a/b"`, `"git status"`, `"rm -rf /srv/app/tmp/x"`, `"make"`, `"$X"`, `"curl https://a.example/"`, `"echo hi > /srv/app/out/f"`, `""`})
	rapid.Check(t, func(rt *rapid.T) {
		var lines []string
		for range rapid.IntRange(1, 25).Draw(rt, "calls") {
			var members []string
			for _, name := range []string{"p", "q", "odd name"} {
				if rapid.IntRange(0, 3).Draw(rt, "has") > 0 {
					members = append(members, fmt.Sprintf("%q: %s", name, values.Draw(rt, "value")))
				}
			}
			tool := rapid.SampledFrom([]string{"s/t", "dev/run", "other/tool"}).Draw(rt, "tool")
			if tool == "dev/run" {
				members = append(members, `"command": `+commands.Draw(rt, "command"))
			}
			lines = append(lines, fmt.Sprintf(`{"tool": %q, "args": {%s}}`, tool, strings.Join(members, ", ")))
		}
		list, err := calls.Read("calls", strings.NewReader(strings.Join(lines, "\n")))
		if err != nil {
			rt.Fatal(err)
		}
		known := tools(t)
		out, err := suggest.Policy(list, suggest.Options{Policy: "seen", Version: "v1", Known: known})
		if err != nil {
			rt.Fatalf("%v\n%s", err, strings.Join(lines, "\n"))
		}
		set, _, err := policy.Compile([]policy.File{{Name: "seen.yaml", Content: out.File.YAML()}}, known, policy.Options{Analyse: effect.Effects, Discovery: true})
		if err != nil {
			rt.Fatalf("%v\n%s", err, out.File.YAML())
		}
		for i := range list {
			tool, err := calls.Tool(known, list[i].Tool)
			if err != nil {
				rt.Fatal(err)
			}
			r := list[i].Request(tool)
			r.Effects = effect.Effects(tool, r.Arguments, nil)
			if d := set.Decide(r); d.Verdict == tv.Deny {
				rt.Fatalf("%s is denied\n%s", lines[i], out.File.YAML())
			}
			r.Arguments = canon.Object(append(r.Arguments.Members(), canon.Member{Name: "never seen", Value: canon.Bool(true)})...)
			if d := set.Decide(r); d.Verdict == tv.Allow {
				rt.Fatalf("%s with another argument is allowed by %s\n%s", lines[i], d.Rule, out.File.YAML())
			}
		}
	})
}
