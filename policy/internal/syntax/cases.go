// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import (
	"fmt"
	"maps"
	"slices"

	"github.com/toolverdict/toolverdict"
)

// Cases is one file of tests of a policy.
type Cases struct {
	Pos
	Policies []string // files, as written
	Catalogs []string
	Servers  map[string]string // by name: the file with the tools that it announces
	Cases    []Case
}

// Case is a call and what is to be decided about it.
type Case struct {
	Example
	Name   string
	As     string         // a subject of the configuration, by its id
	Counts map[string]int // by rule id: what the counter of its limit holds
	Want   Want
}

// Want is what a case expects. Only the verdict is always said.
type Want struct {
	Verdict toolverdict.Verdict
	Rule    string           // that decides
	Rules   []string         // all that match, sorted; nil where nothing is said
	Code    toolverdict.Code // of the answer
}

// ParseCases reads one file of tests, as strictly as a policy.
func ParseCases(name string, content []byte) (*Cases, Problems) {
	d := decoder{reader: reader{file: name}}
	root := d.read(content)
	if root == nil {
		return nil, d.problems.Sort()
	}
	out := d.cases(root)
	if len(d.problems) > 0 {
		return nil, d.problems.Sort()
	}
	return out, nil
}

// ParseCall reads one call, in the form of a case that expects nothing.
func ParseCall(name string, content []byte) (*Case, Problems) {
	d := decoder{reader: reader{file: name}}
	root := d.read(content)
	if root == nil {
		return nil, d.problems.Sort()
	}
	have := d.fields(root, "the call", callKeys()...)
	d.need(root, have, "the call", "tool")
	out := d.oneCase(root, have)
	if len(d.problems) > 0 {
		return nil, d.problems.Sort()
	}
	return &out, nil
}

// callKeys are those of a call that can be tested.
func callKeys() []string { return append(exampleKeys(), "as", "counts") }

// contextKeys are those that a file can give for all of its cases.
func contextKeys() []string {
	return []string{"as", "subject", "env", "run", "session", "model", "time"}
}

func (d *decoder) cases(n *node) *Cases {
	have := d.fields(n, "the file", "policies", "catalogs", "servers", "description", "context", "cases")
	if have == nil {
		return nil
	}
	d.need(n, have, "the file", "cases")
	out := &Cases{Pos: n.pos, Policies: d.paths(have["policies"], "policies"), Catalogs: d.paths(have["catalogs"], "catalogs")}
	if text := have["description"]; text != nil {
		d.word(text, "description", 4096)
	}
	context := map[string]*node{}
	if c := have["context"]; c != nil {
		context = d.fields(c, "context", contextKeys()...)
	}
	if s := have["servers"]; s != nil {
		out.Servers = d.servers(s)
	}
	first := map[string]Pos{}
	for _, item := range d.items(have["cases"], "cases", false) {
		one := d.fields(item, "the case", append(callKeys(), "name", "want")...)
		if one == nil {
			continue
		}
		d.need(item, one, "the case", "name", "tool", "want")
		c := d.oneCase(item, withContext(one, context))
		c.Name, c.Want = d.word(one["name"], "name", 200), d.want(one["want"])
		if before, twice := first[c.Name]; twice {
			d.problem(c.Pos, fmt.Sprintf("rename one of them; the first is on line %d", before.Line), "the name %q is used twice", shorten(c.Name))
		}
		first[c.Name] = c.Pos
		out.Cases = append(out.Cases, c)
	}
	return out
}

// withContext adds what the file says for all cases. Who calls is one thing:
// a case that says it takes nothing of it from there.
func withContext(have, context map[string]*node) map[string]*node {
	out := maps.Clone(context)
	if have["as"] != nil || have["subject"] != nil {
		delete(out, "as")
		delete(out, "subject")
	}
	maps.Copy(out, have)
	return out
}

func (d *decoder) paths(n *node, what string) []string {
	var out []string
	for _, item := range d.items(n, what, true) {
		out = append(out, d.word(item, "an entry of "+what, 1024))
	}
	return out
}

func (d *decoder) servers(n *node) map[string]string {
	if n.kind != object {
		d.problem(n.pos, "write it as a mapping of names to files: orders: tools.json", "servers is %s", n.kind)
		return nil
	}
	out := map[string]string{}
	for i, k := range n.keys {
		if out[k.text] != "" {
			d.problem(k.pos, "keep one of them", "the key %q is given twice", shorten(k.text))
		}
		out[k.text] = d.word(n.values[i], "the file of "+shorten(k.text), 1024)
	}
	return out
}

func (d *decoder) oneCase(n *node, have map[string]*node) Case {
	out := Case{Example: d.call(n, have), As: d.word(have["as"], "as", 256)}
	if as := have["as"]; as != nil && have["subject"] != nil {
		d.problem(as.pos, "keep one of them", "as and subject both say who calls")
	}
	counts := have["counts"]
	if counts == nil {
		return out
	}
	if counts.kind != object {
		d.problem(counts.pos, "write it as a mapping of rule ids to numbers", "counts is %s", counts.kind)
		return out
	}
	out.Counts = map[string]int{}
	for i, k := range counts.keys {
		v := counts.values[i]
		c, ok := v.number.Int64()
		if v.kind != number || !ok || c < 0 || c > 1_000_000 {
			d.problem(v.pos, "write a whole number from 0 to 1000000", "the count of %q makes no sense", shorten(k.text))
		}
		if _, twice := out.Counts[k.text]; twice {
			d.problem(k.pos, "keep one of them", "the key %q is given twice", shorten(k.text))
		}
		out.Counts[k.text] = int(c)
	}
	return out
}

// want reads a verdict, alone or with what else is expected.
func (d *decoder) want(n *node) Want {
	if n == nil {
		return Want{}
	}
	if n.kind == text {
		return Want{Verdict: d.verdict(n, "verdict", verdicts())}
	}
	have := d.fields(n, "want", "verdict", "rule", "rules", "code")
	d.need(n, have, "want", "verdict")
	out := Want{Verdict: d.verdict(have["verdict"], "verdict", verdicts())}
	if rule := have["rule"]; rule != nil {
		out.Rule = d.id(rule, "rule")
	}
	if rules := have["rules"]; rules != nil {
		out.Rules = d.words(rules, "rules")
		slices.Sort(out.Rules)
	}
	if code := have["code"]; code != nil {
		out.Code = d.code(code)
	}
	return out
}

func (d *decoder) code(n *node) toolverdict.Code {
	known := make([]string, 0, len(toolverdict.Codes()))
	for _, c := range toolverdict.Codes() {
		known = append(known, string(c))
	}
	if n.kind != text || !slices.Contains(known, n.text) {
		d.problem(n.pos, didYouMean(n.text, known), "%q is no code", shorten(n.text))
	}
	return toolverdict.Code(n.text)
}
