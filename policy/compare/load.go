// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
	"github.com/toolverdict/toolverdict/policy/internal/sample"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// loaded is one of the two policies, ready to be asked.
type loaded struct {
	files    []policy.File
	set      *policy.Set
	inspect  *policy.Inspector
	fallback toolverdict.Verdict
	rules    map[string]*rule
}

// rule is a rule as it was written.
type rule struct {
	*syntax.Rule
	file    *syntax.File
	meaning string // what decides, in canonical form
	words   string // the rest
}

func load(files []policy.File, known toolverdict.Catalog) (*loaded, error) {
	set, _, err := policy.Compile(files, known, policy.Options{Discovery: true, NoExamples: true})
	if err != nil {
		return nil, err
	}
	out := &loaded{files: files, set: set, inspect: set.Inspect(), fallback: toolverdict.Allow, rules: map[string]*rule{}}
	for _, f := range files {
		parsed, problems := syntax.Parse(f.Name, f.Content)
		if len(problems) > 0 {
			return nil, problems
		}
		out.fallback = toolverdict.Stricter(out.fallback, parsed.Default)
		out.add(parsed)
	}
	return out, nil
}

// arm prepares the policy for the tools that it will be asked about.
func (l *loaded) arm(known candidates) error {
	set, _, err := policy.Compile(l.files, known, policy.Options{Discovery: true, NoExamples: true})
	if err != nil {
		return err
	}
	l.set, l.inspect = set, set.Inspect()
	return nil
}

// candidates are tools as a catalog, which may hold two of one name: they stand
// for tools that differ.
type candidates []*toolverdict.Tool

// Tool implements [toolverdict.Catalog].
func (c candidates) Tool(name string) (*toolverdict.Tool, bool) {
	i := slices.IndexFunc(c, func(t *toolverdict.Tool) bool { return t.Name() == name })
	if i < 0 {
		return nil, false
	}
	return c[i], true
}

// Tools implements [toolverdict.Catalog].
func (c candidates) Tools() []*toolverdict.Tool { return c }

func (l *loaded) identity() Identity {
	version, hash := l.set.Identity()
	return Identity{version, hash}
}

// add takes the rules of a file with their canonical text. Lists that they use
// and the zone belong to what they mean.
func (l *loaded) add(f *syntax.File) {
	content, err := canon.Parse(f.Content, canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth, AllowFoldedSiblings: true})
	if err != nil {
		return // it was made by the reader, which refuses what does not parse
	}
	define, _ := content.Get("define")
	list, _ := content.Get("rules")
	written := map[string]canon.Value{}
	for _, r := range list.Items() {
		id, _ := r.Get("id")
		written[id.Text()] = r
	}
	for _, r := range f.Rules {
		meaning, words := strings.Builder{}, strings.Builder{}
		for name, m := range written[r.ID].Fields() {
			switch name {
			case "match", "noMatch", "description", "tags", "reason":
				words.WriteString(name + " " + m.RawText() + "\n")
			default:
				meaning.WriteString(name + " " + m.RawText() + "\n")
			}
		}
		text := meaning.String()
		for _, name := range used(written[r.ID]) {
			list, _ := define.Get(name)
			text += "define " + name + " " + list.RawText() + "\n"
		}
		if strings.Contains(text, `time.`) || strings.Contains(text, `cel`) {
			text += f.Zone.String()
		}
		l.rules[r.ID] = &rule{r, f, text, words.String()}
	}
}

// used names the lists that a value uses, each {use: NAME}.
func used(v canon.Value) []string {
	if name, ok := v.Get("use"); ok && v.Len() == 1 && name.Kind() == canon.KindString {
		return []string{name.Text()}
	}
	var out []string
	for _, m := range v.Fields() {
		out = append(out, used(m)...)
	}
	for _, e := range v.Items() {
		out = append(out, used(e)...)
	}
	return out
}

// rules finds which rules are not the same.
func (c *comparison) rules() {
	c.differing = map[string]bool{}
	ids := slices.Sorted(maps.Keys(c.before.rules))
	for id := range c.after.rules {
		if c.before.rules[id] == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		a, b := c.before.rules[id], c.after.rules[id]
		switch {
		case b == nil:
			c.change(id, "removed", a)
		case a == nil:
			c.change(id, "added", b)
		case a.meaning != b.meaning:
			c.change(id, "changed", b)
		case a.words != b.words:
			c.report.Rules = append(c.report.Rules, Change{id, "reworded", b.File, b.Line})
		}
	}
}

func (c *comparison) change(id, what string, r *rule) {
	c.differing[id] = true
	c.report.Rules = append(c.report.Rules, Change{id, what, r.File, r.Line})
}

// conditions are those of some rules, for samples of what they look at.
func (l *loaded) conditions(ids []string) []sample.Condition {
	var out []sample.Condition
	for _, id := range ids {
		r := l.rules[id]
		out = append(out, sample.Condition{Part: r.When, Zone: r.file.Zone}, sample.Condition{Part: r.Unless, Zone: r.file.Zone})
	}
	return out
}
