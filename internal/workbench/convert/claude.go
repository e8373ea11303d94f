// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/workbench/draft"
)

// Permissions converts the permission lists of Claude Code's settings. They too
// are without order: deny beats ask beats allow. What they say by the text of a
// command or a path is written as what the call does: a deny or ask rule then
// also finds other spellings, an allow rule takes fewer.
func Permissions(s Source, o Options, meant map[string][]string) (Converted, error) {
	r := &reader{source: s}
	v, ok := r.parse()
	if !ok {
		return Converted{}, r.problems
	}
	lists, _ := v.Get("permissions")
	if lists.Kind() != canon.KindObject {
		r.problem(v, `a settings file with "permissions": {"allow": […], "ask": […], "deny": […]} is wanted`, "there are no permission lists")
		return Converted{}, r.problems
	}
	c := claude{reader: r, options: o, tools: newTools(o.Tools), meant: meant, ids: map[string]bool{}, guessed: map[string]string{}}
	c.file = draft.File{
		Comments: []string{
			"Converted from the permission lists of Claude Code. What they tell by the text of a command or",
			"a path is written as what a call does, so the arguments need their roles in the catalog.",
		},
		Policy: o.Policy, Version: o.Version, Default: c.fallback(lists),
	}
	for _, list := range []struct {
		name    string
		verdict tv.Verdict
	}{{"deny", tv.Deny}, {"ask", tv.Ask}, {"allow", tv.Allow}} {
		c.list(lists, list.name, list.verdict)
	}
	for _, group := range slices.Sorted(maps.Keys(c.guessed)) {
		r.say(lists, fmt.Sprintf("put the tools that are meant into it in the catalog, or name them with --tool %s=SERVER/TOOL, or take the roles of the catalog with --config", c.guessed[group]),
			"no tool is known to stand for %s, so rules name %q, which covers nothing until a catalog has that group", c.guessed[group], group)
	}
	for name, m := range lists.Fields() {
		if !slices.Contains([]string{"allow", "ask", "deny", "defaultMode", "additionalDirectories", "disableBypassPermissionsMode"}, name) {
			r.say(m, "look at what it means for the policy", "permissions.%s is not taken over", show(name))
		}
	}
	if len(r.problems) == 0 && len(c.file.Rules) == 0 {
		r.problem(lists, "without a rule the default alone would decide", "no rule is left to write")
	}
	if len(r.problems) > 0 {
		return Converted{}, r.problems
	}
	return Converted{File: c.file, Findings: r.findings}, nil
}

type claude struct {
	*reader
	options Options
	tools   tools
	meant   map[string][]string // our tools by the name that Claude Code has for such
	ids     map[string]bool
	guessed map[string]string // groups that stand for tools that are not known, with Claude Code's own
	file    draft.File
}

// fallback is what becomes of a call that no rule names.
func (c *claude) fallback(lists canon.Value) tv.Verdict {
	mode, _ := lists.Get("defaultMode")
	switch mode.Text() {
	case "dontAsk":
		return tv.Deny
	case "", "default", "manual":
		return tv.Ask
	}
	c.say(mode, "add rules for what is meant to pass", "defaultMode %q lets more through than its rules name: the policy asks", show(mode.Text()))
	return tv.Ask
}

func (c *claude) list(lists canon.Value, name string, v tv.Verdict) {
	list, ok := lists.Get(name)
	if !ok {
		return
	}
	if list.Kind() != canon.KindArray {
		c.problem(list, "write a list of texts", "permissions.%s is %s", name, list.Kind())
		return
	}
	seen := map[string]bool{}
	for _, item := range list.Items() {
		if item.Kind() != canon.KindString || strings.TrimSpace(item.Text()) == "" {
			c.problem(item, `write a text like "Bash(git status)"`, "an entry of permissions.%s is %s", name, item.Kind())
			continue
		}
		if !seen[item.Text()] {
			seen[item.Text()] = true
			c.permission(permission{at: item, verdict: v, text: strings.TrimSpace(item.Text())})
		}
	}
}

// permission is one entry of a list: TOOL or TOOL(what).
type permission struct {
	at      canon.Value
	verdict tv.Verdict
	text    string
	tool    string
	what    string // "" for every use of the tool
}

func (p *permission) strict() bool { return p.verdict != tv.Allow }

func (c *claude) permission(p permission) {
	tool, rest, narrowed := strings.Cut(p.text, "(")
	what, closed := strings.CutSuffix(rest, ")")
	p.tool, p.what = tool, strings.TrimSpace(what)
	if narrowed && !closed || tool == "" || narrowed && p.what == "" {
		c.problem(p.at, "write TOOL or TOOL(what)", "%q does not parse", show(p.text))
		return
	}
	if p.what == "*" {
		p.what = ""
	}
	switch {
	case strings.HasPrefix(tool, "mcp__"):
		c.server(p)
	case tool == "Bash":
		c.shell(p)
	case slices.Contains([]string{"Read", "Grep", "Glob", "LS"}, tool):
		c.files(p, []string{string(tv.EffectRead)}, "group:file_read")
	case slices.Contains([]string{"Edit", "Write", "MultiEdit", "NotebookEdit"}, tool):
		c.files(p, []string{string(tv.EffectWrite), string(tv.EffectDelete)}, "group:file_write")
	case tool == "WebFetch":
		c.web(p)
	default:
		c.other(p)
	}
}

// target is tools with the name of the argument that matters, "" where that is
// a member of one.
type target struct {
	names    []string
	argument string
}

// targets finds the tools that stand for one of Claude Code's: those that were
// named for it, else those whose arguments have the role, else a group.
func (c *claude) targets(tool, role, group, argument string, fits func(*tv.Tool) bool) []target {
	roles := c.tools.withRole(role)
	byArgument := map[string][]string{}
	names := c.meant[tool]
	if len(names) == 0 {
		for _, t := range c.tools.known {
			if len(roles[t.Name()]) > 0 && fits(t) {
				names = append(names, t.Name())
			}
		}
	}
	for _, name := range names {
		at := argument
		if own := roles[name]; len(own) > 0 {
			at = cmp.Or(own...) // a whole argument before a member of one
		}
		byArgument[at] = append(byArgument[at], name)
	}
	if len(byArgument) == 0 {
		c.guessed[group] = tool
		return []target{{[]string{group}, argument}}
	}
	var out []target
	for _, at := range slices.Sorted(maps.Keys(byArgument)) {
		out = append(out, target{byArgument[at], at})
	}
	return out
}

func (c *claude) shells() []target {
	return c.targets("Bash", "shell", "group:shell", "command", func(*tv.Tool) bool { return true })
}

// names joins the tools of targets.
func names(targets ...target) []string {
	var out []string
	for _, t := range targets {
		out = append(out, t.names...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// server converts mcp__SERVER__TOOL, mcp__SERVER and patterns of these.
func (c *claude) server(p permission) {
	server, tool, named := strings.Cut(strings.TrimPrefix(p.text, "mcp__"), "__")
	switch {
	case p.what != "" && !p.strict():
		c.leave(p, "it narrows a tool in a way that is not known")
		return
	case p.what != "":
		c.say(p.at, "", "%q narrows a tool in a way that is not known: the rule takes every call of it", show(p.text))
		server, tool, named = strings.Cut(strings.TrimPrefix(p.tool, "mcp__"), "__")
	}
	if !named {
		tool = "*"
	}
	if server == "" || tool == "" || strings.ContainsFunc(server+tool, func(r rune) bool {
		return !alphanumeric(r) && r != '_' && r != '-' && r != '*' && r != '.'
	}) || strings.Contains(tool, "**") || strings.Contains(server, "*") {
		c.problem(p.at, "write mcp__SERVER__TOOL", "%q does not parse", show(p.text))
		return
	}
	found := c.mangled(server, tool)
	switch {
	case len(found) == 0 && len(c.tools.known) > 0 && !strings.Contains(tool, "*"):
		c.say(p.at, "check the spelling", "%q is no known tool", show(p.text))
		found = []string{server + "/" + tool}
	case len(found) == 0 || strings.Contains(tool, "*"):
		found = []string{server + "/" + tool}
	case len(found) > 1 && !p.strict():
		c.leave(p, "several tools have that name where odd characters are written as _")
		return
	}
	c.write(p, found, nil)
}

// mangled returns the known tools that have the name once odd characters are
// written as _.
func (c *claude) mangled(server, tool string) []string {
	var out []string
	for _, t := range c.tools.known {
		name := strings.TrimPrefix(t.Name(), t.Server()+"/")
		if mangle(t.Server()) == server && mangle(name) == tool {
			out = append(out, t.Name())
		}
	}
	return out
}

func mangle(name string) string {
	return strings.Map(func(r rune) rune {
		if alphanumeric(r) || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
}

// web converts WebFetch(domain:NAME).
func (c *claude) web(p permission) {
	targets := c.targets("WebFetch", "url", "group:web", "url", func(*tv.Tool) bool { return true })
	if p.what == "" {
		c.write(p, names(targets...), nil)
		return
	}
	domain, ok := strings.CutPrefix(p.what, "domain:")
	bare := strings.TrimPrefix(domain, "*.")
	if !ok || bare == "" || strings.ContainsFunc(bare, func(r rune) bool { return !alphanumeric(r) && r != '.' && r != '-' }) || strings.Trim(bare, ".-0123456789") == "" {
		c.cannot(p, names(targets...), "it is no domain:NAME")
		return
	}
	domain = strings.ToLower(domain)
	if !p.strict() {
		c.write(p, names(targets...), draft.One("effects.every", draft.Map{{Key: "kind", Value: "connect"}, {Key: "host", Value: draft.One("hostIn", domain)}}))
		return
	}
	hosts := draft.Texts(strings.ToLower(bare), "*."+strings.ToLower(bare))
	c.write(p, names(append(targets, c.shells()...)...), draft.One("effects.any", draft.Map{{Key: "kind", Value: "connect"}, {Key: "host", Value: draft.One("hostIn", hosts)}}))
}

// other is a tool that has no role here: only what was named for it counts.
func (c *claude) other(p permission) {
	found := c.meant[p.tool]
	if len(found) == 0 {
		c.leave(p, "no tool here stands for "+show(p.tool)+": name one with --tool "+show(p.tool)+"=NAME")
		return
	}
	if p.what != "" {
		c.cannot(p, found, "it narrows a tool in a way that is not known")
		return
	}
	c.write(p, found, nil)
}

// cannot deals with a narrowing that has no equal: a strict rule takes every
// call of the tools, an allow rule is left out.
func (c *claude) cannot(p permission, tools []string, why string) {
	if !p.strict() {
		c.leave(p, why)
		return
	}
	c.say(p.at, "", "%q cannot be kept (%s): the rule takes every call of its tools", show(p.text), why)
	c.write(p, tools, nil)
}

// leave leaves an entry out and says so.
func (c *claude) leave(p permission, why string) {
	c.say(p.at, "", "%q (%s) is left out: %s", show(p.text), p.verdict, why)
	c.file.Left = append(c.file.Left, fmt.Sprintf("%s (%s) is left out: %s.", show(p.text), p.verdict, why))
}

func (c *claude) write(p permission, tools []string, when draft.Map) {
	if p.verdict == tv.Allow && when == nil {
		c.say(p.at, "say what is meant to pass", "%q allows every call of %s", show(p.text), strings.Join(tools, ", "))
	}
	c.file.Rules = append(c.file.Rules, draft.Rule{
		ID: c.id(p), Verdict: p.verdict, Reason: "Claude Code's " + p.verdict.String() + " list: " + show(p.text),
		Tools: tools, When: when,
	})
}

// id makes a rule's id of the entry's text.
func (c *claude) id(p permission) string {
	const longest = 48
	words := strings.FieldsFunc(p.text, func(r rune) bool { return !alphanumeric(r) })
	id := strings.ToLower(p.verdict.String() + "-" + strings.Join(words, "-"))
	id = strings.Trim(id[:min(len(id), longest)], "-")
	out := id
	for n := 2; c.ids[out]; n++ {
		out = fmt.Sprintf("%s-%d", id, n)
	}
	c.ids[out] = true
	return out
}
