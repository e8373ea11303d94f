// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package convert_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/workbench/convert"
	"github.com/toolverdict/toolverdict/policy"
)

func analyse(command string) []tv.Effect {
	return shell.Analyse(command, shell.Options{Dir: "/srv/app", Home: "/home/ann"})
}

func claudeOptions() convert.Options {
	o := options()
	o.Home, o.Project = "/home/ann", "/srv/app"
	return o
}

type lists struct {
	Allow []string `json:"allow,omitempty"`
	Ask   []string `json:"ask,omitempty"`
	Deny  []string `json:"deny,omitempty"`
	Mode  string   `json:"defaultMode,omitempty"`
}

func permissions(t testing.TB, l lists, o convert.Options, meant map[string][]string) convert.Converted {
	t.Helper()
	b, err := json.Marshal(map[string]any{"permissions": l})
	if err != nil {
		t.Fatal(err)
	}
	c, err := convert.Permissions(convert.Source{Name: "settings.json", Content: b}, o, meant)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func coding(t testing.TB) []*tv.Tool {
	t.Helper()
	return []*tv.Tool{
		newTool(t, tv.Definition{Name: "dev/run", Roles: map[string]tv.Role{"/command": {Kind: "shell"}}}),
		newTool(t, tv.Definition{Name: "dev/edit", Roles: map[string]tv.Role{"/path": {Kind: "path"}}}),
		newTool(t, tv.Definition{Name: "web/fetch", Roles: map[string]tv.Role{"/url": {Kind: "url"}}}),
		newTool(t, tv.Definition{Name: "git.hub/get-issue"}),
	}
}

func TestWhatPermissionListsMean(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lists   lists
		tool    string
		command string
		effects []tv.Effect
		want    tv.Verdict
	}{
		"a prefix allows the command":              {lists: lists{Allow: []string{"Bash(git diff:*)"}}, tool: "dev/run", command: "git diff HEAD", want: tv.Allow},
		"and not what is joined to it":             {lists: lists{Allow: []string{"Bash(git diff:*)"}}, tool: "dev/run", command: "git diff; rm -rf x", want: tv.Ask},
		"nor another word that starts so":          {lists: lists{Allow: []string{"Bash(git diff:*)"}}, tool: "dev/run", command: "git difftool", want: tv.Ask},
		"nor a file that it writes":                {lists: lists{Allow: []string{"Bash(git diff:*)"}}, tool: "dev/run", command: "git diff > /etc/x", want: tv.Ask},
		"nor what a substitution runs":             {lists: lists{Allow: []string{"Bash(ls:*)"}}, tool: "dev/run", command: "ls $(touch x)", want: tv.Ask},
		"an exact command":                         {lists: lists{Allow: []string{"Bash(make test)"}}, tool: "dev/run", command: "make test", want: tv.Allow},
		"and no other":                             {lists: lists{Allow: []string{"Bash(make test)"}}, tool: "dev/run", command: "make test x", want: tv.Ask},
		"a denied prefix":                          {lists: lists{Allow: []string{"Bash"}, Deny: []string{"Bash(rm:*)"}}, tool: "dev/run", command: "rm x", want: tv.Deny},
		"behind another command":                   {lists: lists{Allow: []string{"Bash"}, Deny: []string{"Bash(rm:*)"}}, tool: "dev/run", command: "true && rm x", want: tv.Deny},
		"by its path":                              {lists: lists{Allow: []string{"Bash"}, Deny: []string{"Bash(rm:*)"}}, tool: "dev/run", command: "/bin/rm x", want: tv.Deny},
		"run by another program":                   {lists: lists{Allow: []string{"Bash"}, Deny: []string{"Bash(rm:*)"}}, tool: "dev/run", command: "find . -exec rm {} +", want: tv.Deny},
		"with options before the subcommand":       {lists: lists{Allow: []string{"Bash"}, Deny: []string{"Bash(git push:*)"}}, tool: "dev/run", command: "git -C sub push", want: tv.Deny},
		"what is not denied runs":                  {lists: lists{Allow: []string{"Bash"}, Deny: []string{"Bash(git push:*)"}}, tool: "dev/run", command: "git log -3", want: tv.Allow},
		"a denied file read by a command":          {lists: lists{Allow: []string{"Bash"}, Deny: []string{"Read(~/.ssh/**)"}}, tool: "dev/run", command: "cat ~/.ssh/id", want: tv.Deny},
		"a denied file anywhere in the project":    {lists: lists{Allow: []string{"Bash"}, Deny: []string{"Read(.env)"}}, tool: "dev/run", command: "cat a/b/.env", want: tv.Deny},
		"another file":                             {lists: lists{Allow: []string{"Bash"}, Deny: []string{"Read(.env)"}}, tool: "dev/run", command: "cat a/b/.envrc", want: tv.Allow},
		"a write that asks":                        {lists: lists{Allow: []string{"Edit"}, Ask: []string{"Edit(/docs/**)"}}, tool: "dev/edit", effects: []tv.Effect{{Kind: tv.EffectWrite, Path: "/srv/app/docs/a"}}, want: tv.Ask},
		"a write elsewhere":                        {lists: lists{Allow: []string{"Edit(src/*.go)"}}, tool: "dev/edit", effects: []tv.Effect{{Kind: tv.EffectWrite, Path: "/srv/app/src/a.go"}}, want: tv.Allow},
		"a star does not cross folders":            {lists: lists{Allow: []string{"Edit(src/*.go)"}}, tool: "dev/edit", effects: []tv.Effect{{Kind: tv.EffectWrite, Path: "/srv/app/src/b/a.go"}}, want: tv.Ask},
		"a pattern with a slash starts at the top": {lists: lists{Allow: []string{"Edit(src/**)"}}, tool: "dev/edit", effects: []tv.Effect{{Kind: tv.EffectWrite, Path: "/srv/app/other/src/a"}}, want: tv.Ask},
		"a domain":                                 {lists: lists{Allow: []string{"WebFetch(domain:example.com)"}}, tool: "web/fetch", effects: []tv.Effect{{Kind: tv.EffectConnect, Host: "example.com"}}, want: tv.Allow},
		"not its subdomains":                       {lists: lists{Allow: []string{"WebFetch(domain:example.com)"}}, tool: "web/fetch", effects: []tv.Effect{{Kind: tv.EffectConnect, Host: "a.example.com"}}, want: tv.Ask},
		"but those of a denied one":                {lists: lists{Allow: []string{"WebFetch"}, Deny: []string{"WebFetch(domain:example.com)"}}, tool: "web/fetch", effects: []tv.Effect{{Kind: tv.EffectConnect, Host: "a.example.com"}}, want: tv.Deny},
		"a denied domain reached by a command":     {lists: lists{Allow: []string{"Bash"}, Deny: []string{"WebFetch(domain:example.com)"}}, tool: "dev/run", command: "curl https://example.com/", want: tv.Deny},
		"a server's tool by its mangled name":      {lists: lists{Allow: []string{"mcp__git_hub__get-issue"}}, tool: "git.hub/get-issue", want: tv.Allow},
		"a mode that refuses what is not named":    {lists: lists{Allow: []string{"Bash(ls)"}, Mode: "dontAsk"}, tool: "dev/run", command: "pwd", want: tv.Deny},
		"a mode that lets everything through":      {lists: lists{Deny: []string{"Bash(rm:*)"}, Mode: "bypassPermissions"}, tool: "dev/run", command: "ls", want: tv.Ask},
		"a tool that is not here":                  {lists: lists{Allow: []string{"Bash(ls)"}, Deny: []string{"WebSearch(x)"}}, tool: "web/fetch", want: tv.Ask},
		"a narrowing nobody knows, allowed":        {lists: lists{Allow: []string{"Bash(ls)", "mcp__git_hub__get-issue(id:1)"}}, tool: "git.hub/get-issue", want: tv.Ask},
		"a narrowing nobody knows, denied":         {lists: lists{Allow: []string{"mcp__git_hub"}, Deny: []string{"mcp__git_hub__get-issue(id:1)"}}, tool: "git.hub/get-issue", want: tv.Deny},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := coding(t)
			o := claudeOptions()
			o.Tools = tools
			converted := permissions(t, c.lists, o, nil)
			set := compile(t, converted, tools)
			tool, _ := catalogOf(tools).Tool(c.tool)
			r := tv.Request{Tool: tool, Arguments: canon.Object(), Effects: c.effects}
			if c.command != "" {
				r.Arguments, r.Effects = canon.Object(canon.Member{Name: "command", Value: canon.String(c.command)}), analyse(c.command)
			}
			if d := set.Decide(r); d.Verdict != c.want {
				t.Errorf("%s by %q, want %s\n%s", d.Verdict, d.Rule, c.want, converted.File.YAML())
			}
		})
	}
}

// TestRolesInsideArguments: a rule about the text of an argument cannot be
// written where the command is a member of one, so what it does counts, or
// nothing is allowed.
func TestRolesInsideArguments(t *testing.T) {
	t.Parallel()
	tools := []*tv.Tool{
		newTool(t, tv.Definition{Name: "dev/job", Roles: map[string]tv.Role{"/options/command": {Kind: "shell"}}}),
		newTool(t, tv.Definition{Name: "dev/odd", Roles: map[string]tv.Role{"/a~1b": {Kind: "shell"}}}),
	}
	o := claudeOptions()
	o.Tools = tools
	converted := permissions(t, lists{Allow: []string{"Bash(ls:*)"}, Deny: []string{"Bash(rm:*)", "Bash(x 'y')"}}, o, nil)
	text := string(converted.File.YAML())
	if strings.Contains(text, "options") || strings.Contains(text, "~1") || !strings.Contains(text, "a/b") {
		t.Error(text)
	}
	told := false
	for _, f := range converted.Findings {
		told = told || strings.Contains(f.Message, "stands inside an argument")
	}
	if !told {
		t.Errorf("%q", converted.Findings)
	}
	set := compile(t, converted, tools)
	for _, c := range []struct {
		tool, command string
		want          tv.Verdict
	}{
		{"dev/job", "rm x", tv.Deny},
		{"dev/job", "ls x", tv.Deny}, // one list cannot be kept, so it takes every call
		{"dev/odd", "ls x", tv.Allow},
		{"dev/odd", "rm x", tv.Deny},
		{"dev/odd", "pwd", tv.Ask},
	} {
		tool, _ := catalogOf(tools).Tool(c.tool)
		args := canon.Object(canon.Member{Name: "a/b", Value: canon.String(c.command)})
		if c.tool == "dev/job" {
			args = canon.Object(canon.Member{Name: "options", Value: canon.Object(canon.Member{Name: "command", Value: canon.String(c.command)})})
		}
		if d := set.Decide(tv.Request{Tool: tool, Arguments: args, Effects: analyse(c.command)}); d.Verdict != c.want {
			t.Errorf("%s %q: %s by %q, want %s\n%s", c.tool, c.command, d.Verdict, d.Rule, c.want, text)
		}
	}
}

func TestNamesForTheToolsAreTaken(t *testing.T) {
	t.Parallel()
	tools := coding(t)
	c := permissions(t, lists{Deny: []string{"WebSearch", "Bash(rm:*)"}}, claudeOptions(), map[string][]string{"WebSearch": {"web/fetch"}, "Bash": {"dev/run"}})
	set := compile(t, c, tools)
	tool, _ := catalogOf(tools).Tool("web/fetch")
	if d := set.Decide(tv.Request{Tool: tool}); d.Verdict != tv.Deny || d.Rule != "deny-websearch" {
		t.Errorf("%s by %q", d.Verdict, d.Rule)
	}
}

func TestWhatIsNoPermissionIsRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no lists":        `{"model": "x"}`,
		"not closed":      `{"permissions": {"allow": ["Bash(ls"]}}`,
		"nothing inside":  `{"permissions": {"allow": ["Bash()"]}}`,
		"no text":         `{"permissions": {"deny": [1]}}`,
		"no list":         `{"permissions": {"deny": "Bash"}}`,
		"a repeated list": `{"permissions": {"deny": ["Bash"], "deny": []}}`,
		"empty lists":     `{"permissions": {"allow": [], "deny": []}}`,
		"a star's server": `{"permissions": {"allow": ["mcp__*__x"]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c, err := convert.Permissions(convert.Source{Name: "settings.json", Content: []byte(text)}, claudeOptions(), nil); err == nil {
				t.Errorf("it was taken:\n%s", c.File.YAML())
			}
		})
	}
}

// theirs is how Claude Code takes a command: each part of a compound command by
// itself, a star as any run of characters.
func theirs(l lists, command string) tv.Verdict {
	parts := regexp.MustCompile(`;|&&|\|\||\||&|\n`).Split(command, -1)
	one := func(list []string, part string) bool {
		for _, rule := range list {
			what := strings.TrimSuffix(strings.TrimPrefix(rule, "Bash("), ")")
			if start, ok := strings.CutSuffix(what, ":*"); ok {
				what = start + " *"
			}
			re := strings.ReplaceAll(regexp.QuoteMeta(what), `\*`, `.*`)
			if start, ok := strings.CutSuffix(re, " .*"); ok {
				re = start + "( .*)?"
			}
			if regexp.MustCompile(`^(?s:` + re + `)$`).MatchString(strings.TrimSpace(part)) {
				return true
			}
		}
		return false
	}
	verdict := tv.Allow
	for _, part := range parts {
		if strings.TrimSpace(part) == "" {
			continue
		}
		switch {
		case one(l.Deny, part):
			return tv.Deny
		case one(l.Ask, part):
			verdict = min(verdict, tv.Ask)
		case !one(l.Allow, part):
			verdict = min(verdict, tv.Ask)
		}
	}
	return verdict
}

// The law: what Claude Code would deny is denied, and nothing is allowed that it
// would not allow.
func TestPermissionsAreNeverWider(t *testing.T) {
	t.Parallel()
	tools := coding(t)
	words := []string{"git", "status", "push", "-C", "x", "rm", "-rf", "ls", "npm", "run", "test", "a.txt", "/etc/passwd", "../x", "--force", "echo"}
	rules := []string{"Bash(git status)", "Bash(git push:*)", "Bash(git *)", "Bash(ls:*)", "Bash(rm -rf *)", "Bash(rm*)", "Bash(npm run test:*)", "Bash(echo *)", "Bash(git * x)", "Bash(* --force)", "Bash(ls a.txt)"}
	joints := []string{" ", " ", " ", " ", "; ", " && ", " | ", "\n", " & ", "  "}
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfNDistinct(rapid.SampledFrom(rules), 0, 3, rapid.ID[string])
		l := lists{Allow: some.Draw(t, "allow"), Ask: some.Draw(t, "ask"), Deny: some.Draw(t, "deny")}
		if len(l.Allow)+len(l.Ask)+len(l.Deny) == 0 {
			return
		}
		b, err := json.Marshal(map[string]any{"permissions": l})
		if err != nil {
			t.Fatal(err)
		}
		o := claudeOptions()
		o.Tools = tools
		c, err := convert.Permissions(convert.Source{Name: "settings.json", Content: b}, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		set, _, err := policy.Compile([]policy.File{{Name: "imported.yaml", Content: c.File.YAML()}}, catalogOf(tools), policy.Options{Discovery: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, c.File.YAML())
		}
		for range 10 {
			var command strings.Builder
			for i := range rapid.IntRange(1, 6).Draw(t, "words") {
				if i > 0 {
					command.WriteString(rapid.SampledFrom(joints).Draw(t, "joint"))
				}
				command.WriteString(rapid.SampledFrom(words).Draw(t, "word"))
			}
			text := command.String()
			d := set.Decide(tv.Request{Tool: tools[0], Effects: analyse(text), Arguments: canon.Object(canon.Member{Name: "command", Value: canon.String(text)})})
			if want := theirs(l, text); d.Verdict > want {
				t.Fatalf("%q: %s by %q, theirs is %s\n%s\n%s", text, d.Verdict, d.Rule, want, b, c.File.YAML())
			}
		}
	})
}

// TestUnknownToolsAreNamedByGroups: a rule about a group that no catalog has
// covers nothing, which is said once for each group, and not where tools are known.
func TestUnknownToolsAreNamedByGroups(t *testing.T) {
	t.Parallel()
	const settings = `{"permissions": {"deny": ["Read(/etc/**)", "Bash(rm:*)", "Bash(dd:*)", "WebFetch(domain:a.example)"], "allow": ["Edit(/srv/**)"]}}`
	said := func(o convert.Options, meant map[string][]string) (out []string) {
		c, err := convert.Permissions(convert.Source{Name: "settings.json", Content: []byte(settings)}, o, meant)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range c.Findings {
			if _, group, ok := strings.Cut(f.String(), `so rules name "`); ok {
				group, _, _ = strings.Cut(group, `"`)
				out = append(out, group)
			}
		}
		return out
	}
	o := claudeOptions()
	if got := said(o, nil); !slices.Equal(got, []string{"group:file_read", "group:file_write", "group:shell", "group:web"}) {
		t.Errorf("told of %q", got)
	}
	meant := map[string][]string{"Bash": {"s/run"}, "Read": {"s/read"}, "Edit": {"s/edit"}, "WebFetch": {"s/fetch"}}
	if got := said(o, meant); got != nil {
		t.Errorf("told of %q where all tools are named", got)
	}
}

func ExamplePermissions() {
	made, err := convert.Permissions(convert.Source{Name: "settings.json", Content: []byte(`{"permissions": {"deny": ["Read(~/.ssh/**)"]}}`)},
		convert.Options{Policy: "imported", Version: "v1", Home: "/home/ann"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", made.File.YAML())
	// Output:
	// # Converted from the permission lists of Claude Code. What they tell by the text of a command or
	// # a path is written as what a call does, so the arguments need their roles in the catalog.
	// policy: imported
	// version: v1
	// default: ask
	// rules:
	//   - id: deny-read-ssh
	//     verdict: deny
	//     reason: "Claude Code's deny list: Read(~/.ssh/**)"
	//     tools: ["group:file_read", "group:shell"]
	//     when: {effects.any: {kind: read, path: {under: /home/ann/.ssh}, names: false}}
}
