// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package protect_test

import (
	"encoding/json"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/catalogs"
	"github.com/toolverdict/toolverdict/hookgate/protect"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
)

var place = protect.Place{
	Workspace: "/home/agent/work/app", Home: "/home/agent", Named: []string{"/srv/tui.json"},
	Gate: []string{"/home/agent/work/app/gate/toolverdict.yaml"}, Secret: []string{"/home/agent/.config/toolverdict"},
	Programs: []string{"/usr/local/bin/toolverdict"},
}

// generous is a policy that allows every tool, whatever it does.
const generous = "policy: p\nversion: v1\nrules:\n  - {id: allow-all, verdict: allow, reason: r, tools: \"*\"}\n"

func layered(t *testing.T, agent hookgate.Agent) (*catalog.Catalog, *policy.Set) {
	t.Helper()
	overlay, err := catalogs.Overlay(agent)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := catalog.Build(catalog.Input{
		Servers:  []catalog.Server{{Name: string(agent), Local: true, Place: tv.Place{Root: place.Workspace, Home: place.Home}}},
		Overlays: []*catalog.Overlay{overlay},
	})
	if err != nil {
		t.Fatal(err)
	}
	file, needed, err := protect.Policy(c.Tools(), place)
	if err != nil || !needed {
		t.Fatal(err, needed)
	}
	set, report, err := policy.Compile([]policy.File{{Name: "p.yaml", Content: []byte(generous)}, file}, c, policy.Options{Meaning: true, Analyse: effect.Effects})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range report.Warnings {
		if strings.Contains(w.String(), "built-in") {
			t.Error(w)
		}
	}
	return c, set
}

func decide(t *testing.T, c *catalog.Catalog, set *policy.Set, name, args string, facts map[string]string) tv.Decision {
	t.Helper()
	tool, ok := c.Tool(name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	v, err := canon.ParseObject([]byte(args), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return set.Decide(tv.Request{
		Tool: tool, Arguments: v, Subject: tv.Subject{ID: "a"}, Environment: facts, Effects: effect.Effects(tool, v, facts),
	})
}

// TestProtected: what blinds the hooks is denied under a policy that allows all,
// and what is ordinary is not.
func TestProtected(t *testing.T) {
	t.Parallel()
	c, set := layered(t, hookgate.ClaudeCode)
	facts := map[string]string{"cwd": place.Workspace}
	for command, denied := range map[string]bool{
		"mv /home/agent/work/app /tmp/x":              true,
		"mv . ../elsewhere":                           true,
		"mv ../app ../b":                              true,
		"cd .. && mv app b":                           true,
		"mv /home/agent/work /tmp/x":                  true,
		"rm -rf .":                                    true,
		"rm -rf /home/agent/work/app":                 true,
		"rm -rf ~":                                    true,
		"rm -rf /":                                    true,
		"cd /tmp; rmdir /home/agent/work/app":         true,
		"chmod 000 .":                                 true,
		"find .. -delete":                             true,
		"sh -c 'mv $PWD /tmp/x'":                      true,
		"rm ~/.claude/settings.json":                  true,
		"echo '{}' > ~/.claude/settings.json":         true,
		"mv ~/.claude ~/x":                            true,
		"rm -rf ~/.codex":                             true,
		"cp x .claude/settings.local.json":            true,
		"sed -i s/a/b/ .codex/hooks.json":             true,
		"rm -r .github/hooks":                         true,
		"tee -a ~/.gemini/settings.json < x":          true,
		"rm /usr/local/bin/toolverdict":               true,
		"cp /bin/true /usr/local/bin/toolverdict":     true,
		"rm -rf ~/.config/toolverdict":                true,
		"rm -rf ~/.config":                            true,
		"ln -sf /bin/true /usr/local/bin/toolverdict": true,
		"truncate -s 0 gate/toolverdict.yaml":         true,
		"cp p.js ~/.config/opencode/plugin/a.js":      true,
		"echo x > .opencode/plugins/a.ts":             true,
		"echo {} > opencode.json":                     true,
		"mv x .opencode":                              true,
		"rm ~/.cline/hooks/PreToolUse":                true,
		"chmod -x ~/.cline/hooks/PreToolUse":          true,
		"cp x .clinerules/hooks/PreToolUse":           true,
		"cp x ~/Documents/Cline/Hooks/PreToolUse":     true,
		"echo x > .opencode/plans/a.md":               false,
		"cp -r x Documents":                           false,
		"echo x > .clinerules/style.md":               false,
		"ls":                                          false,
		"cat ~/.claude/settings.json":                 false,
		"rm -rf build":                                false,
		"mv a b":                                      false,
		"git commit -am x":                            false,
		"go test ./...":                               false,
		"gofmt -w .":                                  false,
		"echo x > tui.json":                           true,
		"echo x > ../tui.jsonc":                       true,
		"echo x > ../opencode.json":                   true,
		"echo x > /home/opencode.jsonc":               true,
		"cp x.js ../.opencode/plugin/x.js":            true,
		"mv x ../.opencode":                           true,
		"echo x > ~/.config/opencode/tui.json":        true,
		"echo x > ~/.opencode/tui.json":               true,
		"echo x > ~/.opencode/bin/opencode":           false,
		"echo x > /srv/tui.json":                      true,
		"echo x > .github/copilot/settings.json":      true,
		"tee .github/copilot/settings.local.json < x": true,
		"cp -r x .github/copilot":                     true,
		"mkdir -p .claude/commands":                   true,
		"echo x > .claude/agents/a.md":                true,
		"cp a.md ~/.claude/skills/a/SKILL.md":         true,
		"tee sub/.claude/skills/a/SKILL.md < x":       true,
		"mv .claude old":                              true,
		"mv c .claude":                                true,
		"mv old .codex":                               true,
		"ln -s /tmp/c .claude":                        true,
		"ln -sfn /tmp/c ~/.qwen":                      true,
		"cp -r x .claude":                             true,
		"cp -r x/. .gemini":                           true,
		"cp -r x .cursor":                             true,
		"rsync -a x/ .github":                         true,
		"rsync -a x/ .claude/":                        true,
		"tar xf a.tar -C .claude":                     true,
		"unzip a.zip -d .claude":                      true,
		"mkdir .claude; mv c .claude":                 true,
		"mv gate old":                                 true,
		"rmdir .claude":                               true,
		"ln -s ~/.claude x":                           true,
		"ln -s .claude/settings.json x":               true,
		"ln ~/.claude/settings.json x":                true,
		"ln -s . x":                                   true,
		"ln -s / x":                                   true,
		"cp -s $HOME/.claude/settings.json x":         true,
		"cp -al ~/.claude x":                          true,
		"toolverdict approvals approve x":             true,
		"/usr/local/bin/toolverdict hook codex":       true,
		"env A=b toolverdict hook codex":              true,
		"sh -c 'toolverdict approvals list'":          true,
		"/tmp/toolverdict users add x":                true,
		"cp /usr/local/bin/toolverdict /tmp/x":        true,
		"cat ~/.config/toolverdict/keys/me":           true,
		"grep -r x ~/.config":                         true,
		"ls ~/.config/toolverdict":                    false,
		"which toolverdict":                           false,
		"mkdir .claude .github":                       false,
		"mkdir -p .github && echo x > .github/a":      false,
		"mkdir -p .github/workflows":                  false,
		"cp a .github/workflows/ci.yml":               false,
		"ln -s ../lib x":                              false,
		"ln -s a b":                                   false,
		"cp -r a b":                                   false,
		"git checkout main":                           false,
		"tar xf a.tar":                                false,
		"cat /usr/local/bin/other":                    false,
		"echo x > notes/.claude.md":                   false,
		"cp a ~/b":                                    false,
		"python3 x.py":                                false,
	} {
		args, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		d := decide(t, c, set, "claude-code/Bash", string(args), facts)
		if (d.Verdict == tv.Deny) != denied || denied && !strings.HasPrefix(d.Rule, protect.Rule) {
			t.Errorf("%s: %v by %q", command, d.Verdict, d.Rule)
		}
	}
	for call, denied := range map[string]bool{
		`claude-code/Write {"file_path":"/home/agent/.claude/settings.json","content":"{}"}`:                                  true,
		`claude-code/Edit {"file_path":"/home/agent/work/app/.claude/settings.local.json","old_string":"a","new_string":"b"}`: true,
		`claude-code/Write {"file_path":"/home/agent/work/app/x","content":"{}"}`:                                             false,
		`claude-code/Read {"file_path":"/home/agent/.claude/settings.json"}`:                                                  false,
		`claude-code/TodoWrite {"todos":[]}`:                                                                                  false,
	} {
		name, args, _ := strings.Cut(call, " ")
		if d := decide(t, c, set, name, args, facts); (d.Verdict == tv.Deny) != denied {
			t.Errorf("%s: %v by %q", call, d.Verdict, d.Rule)
		}
	}
}

// TestOtherFolder: where the folder of a command is not told, what is written
// absolutely is protected all the same, and the rest is left to the policy.
func TestOtherFolder(t *testing.T) {
	t.Parallel()
	c, set := layered(t, hookgate.Codex)
	for args, denied := range map[string]bool{
		`{"command":"mv /home/agent/work/app /tmp/x"}`: true,
		`{"command":"rm ~/.codex/hooks.json"}`:         true,
		`{"command":"touch a"}`:                        false,
		`{"command":"rm a"}`:                           false,
	} {
		if d := decide(t, c, set, "codex/Bash", args, nil); (d.Verdict == tv.Deny) != denied {
			t.Errorf("%s: %v by %q", args, d.Verdict, d.Rule)
		}
	}
	patch := `{"command":"*** Begin Patch\n*** Update File: .codex/hooks.json\n@@\n-a\n+b\n*** End Patch"}`
	if d := decide(t, c, set, "codex/apply_patch", patch, map[string]string{"cwd": place.Workspace}); !strings.HasPrefix(d.Rule, protect.Rule) {
		t.Errorf("patch: %v by %q", d.Verdict, d.Rule)
	}
}

// TestNothingToProtect: without such tools there is no layer, and with a place
// that cannot be relied on there is an error.
func TestNothingToProtect(t *testing.T) {
	t.Parallel()
	c, _ := layered(t, hookgate.Codex)
	if _, needed, err := protect.Policy(nil, place); needed || err != nil {
		t.Error(needed, err)
	}
	for _, p := range []protect.Place{{Home: "/h"}, {Workspace: "w", Home: "/h"}, {Workspace: "/w/../x", Home: "/h"}, {Workspace: "/w", Home: "/h", Gate: []string{"x"}}, {Workspace: "/w", Home: "/h", Named: []string{"x"}}} {
		if _, _, err := protect.Policy(c.Tools(), p); err == nil {
			t.Errorf("%+v", p)
		}
	}
}
