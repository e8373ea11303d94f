// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/email"
	"github.com/toolverdict/toolverdict/effect/path"
	"github.com/toolverdict/toolverdict/effect/shell"
	"github.com/toolverdict/toolverdict/effect/sql"
	"github.com/toolverdict/toolverdict/effect/url"
	"github.com/toolverdict/toolverdict/policy"
)

// effectCase is a shared case that is judged by what the call would do.
type effectCase struct {
	ID, Kind, Expect, Why string
	Intent                string `json:"intent_id"`
	Call                  struct {
		Tool string
		Args map[string]toolverdict.Value
	}
	Context struct {
		DNS       map[string]json.RawMessage
		Redirects []string
		Links     map[string]string
	}
}

// names resolves as a case says, and everything else to a public address.
type names map[string]json.RawMessage

func (n names) Resolve(_ context.Context, name string) ([]netip.Addr, error) {
	raw, ok := n[name]
	if !ok {
		return []netip.Addr{netip.AddrFrom4([4]byte{8, 8, 8, 8})}, nil
	}
	var list []netip.Addr
	if json.Unmarshal(raw, &list) == nil {
		return list, nil
	}
	list = make([]netip.Addr, 1)
	return list, json.Unmarshal(raw, &list[0])
}

// analyse says what the call of a case would do; ok is false where a case needs
// more than its arguments, or an analyser that is not here.
func (c *effectCase) analyse() (list []toolverdict.Effect, ok bool) {
	switch {
	case c.Kind == "url" && len(c.Context.Redirects) == 0:
		list, _ = url.AnalyseResolved(context.Background(), c.Call.Args["url"], url.Options{Source: "/url"}, names(c.Context.DNS))
		return list, true
	case c.Kind == "email":
		for _, field := range []string{"to", "cc", "bcc"} {
			if v, there := c.Call.Args[field]; there {
				list = append(list, email.AnalyseValue(v, email.Options{Source: "/" + field, Field: field, Single: true})...)
			}
		}
		if v, there := c.Call.Args["subject"]; there {
			list = append(list, email.AnalyseHeaderValue(v, email.Options{Source: "/subject"})...)
		}
		return list, true
	case c.Kind == "shell":
		return shell.Analyse(c.Call.Args["command"].Text(), whereCommandsRun), true
	case c.Kind == "sql":
		dialect := sql.PostgreSQL
		if c.Intent == "myro" {
			dialect = sql.MySQL
		}
		return sql.Analyse(dialect, c.Call.Args["sql"].Text()), true
	case c.Kind == "path" && len(c.Context.Links) == 0:
		uses := map[string][]path.Use{
			"read": {path.Read}, "write": {path.Write}, "edit": {path.Read, path.Write}, "create": {path.Write}, "append": {path.Write},
			"delete": {path.Delete}, "list": {path.List}, "move": {path.Read, path.Write, path.Delete}, "copy": {path.Read, path.Write},
		}
		verb, _, _ := strings.Cut(c.Call.Tool, "_")
		for _, v := range c.Call.Args {
			list = append(list, path.AnalyseValue(v, path.Options{Uses: uses[verb], Root: "/srv/app", Windows: c.Intent == "rootci"})...)
		}
		return list, true
	}
	return nil, false
}

var whereCommandsRun = shell.Options{Dir: "/srv/app", Root: "/srv/app", Home: "/srv/home"}

// TestCommands decides the commands of commands.txt.
func TestCommands(t *testing.T) {
	t.Parallel()
	sets := intents(t)
	tool := withRoles(t, "p/execute_shell", "shell")
	text, err := os.ReadFile("testdata/cases/effects/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	var set *policy.Set
	want, counts := "", map[string]int{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if intent, ok := strings.CutPrefix(line, "## "); ok {
			name, verdict, _ := strings.Cut(intent, " ")
			set, want = sets[name], verdict
			continue
		}
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		counts[want]++
		list := shell.Analyse(strings.ReplaceAll(line, "⏎", "\n"), whereCommandsRun)
		if d := set.Decide(toolverdict.Request{Tool: tool, Effects: list}); words[d.Verdict] != want {
			t.Errorf("%s: %s by %q, want %s: %+v", line, words[d.Verdict], d.Rule, want, list)
		}
	}
	if counts["allow"] < 150 || counts["block"] < 150 || counts["approve"] < 20 {
		t.Errorf("too few commands were judged: %v", counts)
	}
}

// words are the verdicts as the cases call them.
var words = map[toolverdict.Verdict]string{toolverdict.Allow: "allow", toolverdict.Ask: "approve", toolverdict.Deny: "block"}

// fileTool is the tool of the cases about paths.
func fileTool(t *testing.T) *toolverdict.Tool {
	t.Helper()
	return define(t, toolverdict.Definition{
		Name: "p/file", Server: "p", Safety: toolverdict.Destructive, Risk: toolverdict.LowRisk,
		Groups: []string{"files"}, Roles: map[string]toolverdict.Role{"/path": {Kind: "path"}},
	})
}

// intents are the policies that users would write for the shared cases. Each
// loads without a warning.
func intents(t *testing.T) map[string]*policy.Set {
	t.Helper()
	out := map[string]*policy.Set{}
	files, _ := filepath.Glob("testdata/cases/effects/*.yaml")
	tools := catalog{
		withRoles(t, "p/execute_shell", "shell"), withRoles(t, "p/db_query", "sql"), withRoles(t, "p/fetch_url", "url"), withRoles(t, "p/send_email", "email"),
		fileTool(t),
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		set, report, err := load(t, tools, policy.Options{}, string(text))
		if err != nil || len(report.Warnings) > 0 {
			t.Fatalf("%s: %v %v", name, err, report.Warnings)
		}
		out[strings.TrimSuffix(filepath.Base(name), ".yaml")] = set
	}
	out["rootci"] = out["root"]
	return out
}

// TestSharedEffectCases decides the shared cases by their effects, with the
// policy that a user would write for each intent.
func TestSharedEffectCases(t *testing.T) {
	t.Parallel()
	sets := intents(t)
	tools := map[string]*toolverdict.Tool{"url": withRoles(t, "p/fetch_url", "url"), "email": withRoles(t, "p/send_email", "email"), "path": fileTool(t),
		"shell": withRoles(t, "p/execute_shell", "shell"), "sql": withRoles(t, "p/db_query", "sql")}
	f, err := os.Open(sharedCases)
	if err != nil {
		t.Logf("the shared cases are not here: %v", err)
		return
	}
	defer f.Close()
	count := 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var kind struct{ Kind string }
		if err := json.Unmarshal(lines.Bytes(), &kind); err != nil {
			t.Fatal(err)
		}
		if tools[kind.Kind] == nil {
			continue
		}
		var c effectCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		list, ok := c.analyse()
		if !ok {
			continue
		}
		count++
		d := sets[c.Intent].Decide(toolverdict.Request{Tool: tools[c.Kind], Effects: list})
		if got := words[d.Verdict]; got != c.Expect {
			t.Errorf("%s (%s): %s by %q, want %s: %+v", c.ID, c.Why, got, d.Rule, c.Expect, list)
		}
	}
	if count < 320 {
		t.Errorf("only %d cases were judged", count)
	}
	t.Logf("%d cases", count)
}
