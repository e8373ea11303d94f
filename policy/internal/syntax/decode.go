// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Parse reads one file. A name that ends in .json is read as strict JSON, any
// other as YAML. With problems there is no file.
func Parse(name string, content []byte) (*File, Problems) {
	d := decoder{reader: reader{file: name}}
	root := d.read(content)
	if root == nil {
		return nil, d.problems.Sort()
	}
	f := d.policy(root)
	if len(d.problems) > 0 {
		return nil, d.problems.Sort()
	}
	f.Content = d.content(root, f)
	if len(d.problems) > 0 {
		return nil, d.problems.Sort()
	}
	return f, nil
}

// decoder turns nodes into the tree. On a problem it goes on, so that all are
// told at once; what it then returns is not used.
type decoder struct {
	reader
	effect bool // inside of effects.any or effects.every
	lists  map[string]*defined
	used   int // values that lists stood for so far
}

// fields checks that n is a mapping with known keys, each once and each with a
// value, and returns the values by key. It is nil where n is no mapping.
func (d *decoder) fields(n *node, what string, known ...string) map[string]*node {
	if n.kind != object {
		d.problem(n.pos, "write it as a mapping of "+strings.Join(known, ", "), "%s is %s, not a mapping", what, n.kind)
		return nil
	}
	out := make(map[string]*node, len(n.keys))
	for i, k := range n.keys {
		switch {
		case out[k.text] != nil:
			d.problem(k.pos, "keep one of them", "the key %q is given twice", k.text)
		case !slices.Contains(known, k.text):
			d.problem(k.pos, didYouMean(k.text, known), "unknown key %q in %s", shorten(k.text), what)
		default:
			out[k.text] = n.values[i]
		}
	}
	return out
}

// need reports a missing key.
func (d *decoder) need(n *node, have map[string]*node, what string, keys ...string) {
	for _, key := range keys {
		if have != nil && have[key] == nil {
			d.problem(n.pos, fmt.Sprintf("add %s: …", key), "the key %q is missing in %s", key, what)
		}
	}
}

// word reads a text of at most max bytes without control characters.
func (d *decoder) word(n *node, what string, limit int) string {
	if n == nil {
		return ""
	}
	switch {
	case n.kind != text:
		d.problem(n.pos, "write it as text, in quotes if need be", "%s is %s", what, n.kind)
	case strings.TrimSpace(n.text) == "":
		d.problem(n.pos, "say something", "%s is empty", what)
	case len(n.text) > limit:
		d.problem(n.pos, "shorten it", "%s has %d bytes, at most %d", what, len(n.text), limit)
	case strings.ContainsFunc(strings.TrimRight(n.text, "\n"), func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' }):
		d.problem(n.pos, "write it in plain characters", "%s holds a control character", what)
	}
	return strings.TrimSpace(n.text)
}

func identifier(s string) bool { return plain.Name{Signs: "_.-", Max: 128}.Fits(s) }

func (d *decoder) id(n *node, what string) string {
	if n == nil {
		return ""
	}
	if n.kind == text && identifier(n.text) {
		return n.text
	}
	d.problem(n.pos, "use letters, digits, dots, hyphens and underscores, at most 128", "%s is no plain name", what)
	return ""
}

func (d *decoder) truth(n *node, what string) bool {
	if n == nil {
		return false
	}
	if n.kind != boolean {
		d.problem(n.pos, "write true or false", "%s is %s", what, n.kind)
	}
	return n.truth
}

// whole reads an integer between 1 and high.
func (d *decoder) whole(n *node, what string, high int64) int {
	if n == nil {
		return 0
	}
	i, ok := n.number.Int64()
	if n.kind != number || !ok || i < 1 || i > high {
		d.problem(n.pos, fmt.Sprintf("write a whole number from 1 to %d", high), "%s is not a count that makes sense", what)
	}
	return int(i)
}

var durationForm = regexp.MustCompile(`^(?:(\d{1,5})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,7})s)?$`)

// duration reads days, hours, minutes and seconds, such as 15m or 1h30m.
func (d *decoder) duration(n *node, what string) time.Duration {
	if n == nil {
		return 0
	}
	m := durationForm.FindStringSubmatch(n.text)
	var sum time.Duration
	if n.kind == text && m != nil {
		for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
			count, _ := strconv.Atoi(m[i+1]) // no digits: none of this unit
			sum += time.Duration(count) * unit
		}
	}
	if sum < time.Second || sum > 366*24*time.Hour {
		d.problem(n.pos, "write it like 30s, 15m, 24h or 1h30m, at least 1s and at most 366d", "%s is no length of time", what)
	}
	return sum
}

// items returns the entries of a list that must not be empty; where one is
// allowed, a single value stands for a list of one.
func (d *decoder) items(n *node, what string, single bool) []*node {
	switch {
	case n == nil:
		return nil
	case n.kind == list && len(n.values) == 0:
		d.problem(n.pos, "an empty list matches nothing: name what is meant, or leave the key out", "%s is an empty list", what)
	case n.kind == list:
		return n.values
	case n.kind == null:
		d.problem(n.pos, "name what is meant, or leave the key out", "%s is empty", what)
	case !single || n.kind == object:
		d.problem(n.pos, "write it as a list", "%s is %s", what, n.kind)
	default:
		return []*node{n}
	}
	return nil
}

func verdicts() []string { return []string{"allow", "ask", "deny"} }

func (d *decoder) verdict(n *node, what string, known []string) toolverdict.Verdict {
	v := toolverdict.Deny
	if n == nil {
		return v
	}
	if n.kind != text || !slices.Contains(known, n.text) || v.UnmarshalText([]byte(n.text)) != nil {
		d.problem(n.pos, didYouMean(n.text, known), "%q is no %s", shorten(n.text), what)
	}
	return v
}

func (d *decoder) policy(n *node) *File {
	have := d.fields(n, "the policy", "policy", "version", "default", "unsafeDefaultAllow", "timezone", "description", "define", "rules")
	if have == nil {
		return nil
	}
	d.need(n, have, "the policy", "policy", "version", "rules")
	f := &File{Pos: n.pos, Policy: d.id(have["policy"], "policy"), Zone: time.UTC}
	f.Version = d.version(have["version"])
	f.Default = d.verdict(have["default"], "default", verdicts())
	unsafe := d.truth(have["unsafeDefaultAllow"], "unsafeDefaultAllow")
	if f.Default == toolverdict.Allow && !unsafe {
		d.problem(have["default"].pos, "use deny or ask; to let everything through that no rule names, add unsafeDefaultAllow: true", "default: allow is unsafe")
	}
	if z := have["timezone"]; z != nil {
		f.Zone = d.zone(z)
	}
	if text := have["description"]; text != nil {
		d.word(text, "description", 4096)
	}
	d.defines(have["define"])
	seen := map[string]Pos{}
	for _, r := range d.items(have["rules"], "rules", false) {
		rule := d.rule(r)
		if first, twice := seen[rule.ID]; twice && rule.ID != "" {
			d.problem(rule.Pos, fmt.Sprintf("rename one of them; the first is on line %d", first.Line), "the rule id %q is used twice", rule.ID)
		}
		seen[rule.ID] = rule.Pos
		f.Rules = append(f.Rules, rule)
	}
	f.Unused = d.unused()
	return f
}

func versionForm(s string) bool { return plain.Name{Signs: "_.:+-", Max: 64}.Fits(s) }

func (d *decoder) version(n *node) string {
	if n == nil {
		return ""
	}
	if n.kind != text && n.kind != number || !versionForm(n.text) {
		d.problem(n.pos, "write it like v20250115_01", "version is no plain label")
	}
	return n.text
}

// zone reads an IANA zone name. "Local" would make decisions depend on the
// machine.
func (d *decoder) zone(n *node) *time.Location {
	name := d.word(n, "timezone", 64)
	if name != "" && name != "Local" {
		if z, err := time.LoadLocation(name); err == nil {
			return z
		}
	}
	d.problem(n.pos, "use a name like Asia/Shanghai or UTC", "timezone is not a known zone")
	return time.UTC
}

func (d *decoder) rule(n *node) *Rule {
	r := &Rule{Pos: n.pos}
	have := d.fields(n, "the rule", "id", "verdict", "reason", "tools", "when", "unless", "ask", "limit", "match", "noMatch", "description", "tags")
	if have == nil {
		return r
	}
	d.need(n, have, "the rule", "id", "verdict", "reason", "tools")
	r.ID = d.id(have["id"], "id")
	r.Verdict = d.verdict(have["verdict"], "verdict", verdicts())
	r.Reason = strings.Join(strings.Fields(d.word(have["reason"], "reason", 500)), " ")
	for _, p := range d.values(have["tools"], "tools") {
		r.Tools = append(r.Tools, d.pattern(p))
	}
	if w := have["when"]; w != nil {
		r.When = d.condition(w, "when")
	}
	if u := have["unless"]; u != nil {
		r.Unless = d.condition(u, "unless")
	}
	r.Ask, r.Limit = d.ask(have["ask"]), d.limit(have["limit"], r.Verdict)
	if v, a := have["verdict"], have["ask"]; v != nil && slices.Contains(verdicts(), v.text) && a != nil && r.Verdict != toolverdict.Ask {
		d.problem(a.pos, "set verdict: ask, or remove it", "ask says who approves, and this rule's verdict is %s", r.Verdict)
	}
	r.Match, r.NoMatch = d.examples(have["match"], "match"), d.examples(have["noMatch"], "noMatch")
	if text := have["description"]; text != nil {
		d.word(text, "description", 4096)
	}
	for _, tag := range d.items(have["tags"], "tags", true) {
		d.id(tag, "a tag")
	}
	return r
}

func (d *decoder) ask(n *node) *Ask {
	if n == nil {
		return nil
	}
	have := d.fields(n, "ask", "approvers", "quorum", "expires", "selfApproval", "escalate", "editorMayApprove", "clientAttested")
	if len(have) == 0 {
		if n.kind == object && len(n.keys) == 0 {
			d.problem(n.pos, "leave it out for the defaults", "ask is empty")
		}
		return nil
	}
	a := &Ask{Quorum: 1, Expires: d.duration(have["expires"], "expires"), SelfApproval: d.truth(have["selfApproval"], "selfApproval")}
	a.EditorMayApprove = d.truth(have["editorMayApprove"], "editorMayApprove")
	a.ClientAttested = d.truth(have["clientAttested"], "clientAttested")
	if q := have["quorum"]; q != nil {
		a.Quorum = d.whole(q, "quorum", 20)
	}
	a.Approvers = d.approvers(have["approvers"], "approvers")
	a.Escalate = d.escalate(have["escalate"], a.Expires)
	return a
}

// approvers reads who may approve: sorted, each once.
func (d *decoder) approvers(n *node, what string) []string {
	var out []string
	for _, who := range d.items(n, what, true) {
		name := d.word(who, "an approver", 128)
		kind, rest, _ := strings.Cut(name, ":")
		if kind != "role" && kind != "group" && kind != "user" || rest == "" || strings.ContainsAny(rest, "*, \t") {
			d.problem(who.pos, "write role:NAME, group:NAME or user:ID", "%q names no approver", shorten(name))
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// escalate reads who else may approve once nobody did for a while.
func (d *decoder) escalate(n *node, expires time.Duration) toolverdict.Escalation {
	if n == nil {
		return toolverdict.Escalation{}
	}
	have := d.fields(n, "escalate", "after", "to")
	if have == nil {
		return toolverdict.Escalation{}
	}
	d.need(n, have, "escalate", "to")
	e := toolverdict.Escalation{After: d.duration(have["after"], "after"), To: d.approvers(have["to"], "to")}
	if expires > 0 && e.After >= expires {
		d.problem(have["after"].pos, "let it come before expires", "after this time the question has expired, so nobody else is ever asked")
	}
	return e
}

func countable() []string { return []string{"session", "subject", "user", "tool", "agent", "run"} }

func (d *decoder) limit(n *node, v toolverdict.Verdict) *Limit {
	if n == nil {
		return nil
	}
	if v == toolverdict.Allow {
		d.problem(n.pos, "set verdict: deny or ask; calls below the limit are left to the other rules", "a limit cannot belong to an allow rule")
		return nil
	}
	have := d.fields(n, "limit", "max", "per", "by")
	if have == nil {
		return nil
	}
	d.need(n, have, "limit", "max", "per", "by")
	l := &Limit{Max: d.whole(have["max"], "max", 1_000_000), Per: d.duration(have["per"], "per")}
	l.By = d.by(have["by"])
	return l
}

// by reads what calls are told apart by.
func (d *decoder) by(n *node) []string {
	var out []string
	for _, by := range d.items(n, "by", true) {
		if !slices.Contains(countable(), by.text) || by.kind != text {
			d.problem(by.pos, didYouMean(by.text, countable()), "%q is nothing to count by", shorten(by.text))
		}
		out = append(out, by.text)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// content makes what the policy's hash is taken over: canonical JSON with the
// rules by id, so that neither formatting nor order counts.
func (d *decoder) content(root *node, f *File) []byte {
	byID := map[string]int{}
	for i, r := range f.Rules {
		byID[r.ID] = i
	}
	order := slices.SortedFunc(slices.Values(f.Rules), func(a, b *Rule) int { return strings.Compare(a.ID, b.ID) })
	for i, k := range root.keys {
		if k.text != "rules" {
			continue
		}
		sorted := *root.values[i]
		sorted.values = nil
		for _, r := range order {
			sorted.values = append(sorted.values, root.values[i].values[byID[r.ID]])
		}
		root.values[i] = &sorted
	}
	v, err := canon.Parse(root.appendJSON(nil), canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: 2 * maxDepth, AllowFoldedSiblings: true})
	if err != nil {
		d.problem(f.Pos, "write it in plain characters and numbers", "the policy has no canonical form")
		return nil
	}
	return canon.Append(nil, v)
}
