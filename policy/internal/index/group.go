// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package index

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
)

// kind is what rules of a group are found by.
type kind uint8

const (
	byText kind = iota
	byHead
	byTail
	byInside
	byFolder
	byBelow
	byMail
	byHost
	byRange
	byNumber
	byTruth
)

type groupID struct {
	field int32
	kind  kind
}

// Group finds the rules that need a value of one field, in one way. It is
// small: the groups of a tool stand side by side.
type Group struct {
	groupID
	longest int     // longer texts lead to all
	few     handful // where it is not nil, what it is looked up in
	*many
}

// many is what a group looks at where its values are many, or uncommon.
type many struct {
	finder finder
	strict []int32 // rules that match on an unknown
	all    []int32
}

// finder is what a group looks values up in: the one of its kind.
type finder struct {
	words   *words  // texts and folders
	folders []asked // of byBelow, by their text
	inside  *grams
	domains *domains
	ranges  *ranges
	numbers *spans
	truths  *[2][]int32
}

func newGroup(id groupID) Group {
	g := Group{groupID: id, many: &many{}}
	switch f := &g.finder; id.kind {
	case byText, byHead, byTail, byFolder, byBelow:
		f.words = newWords()
	case byInside:
		f.inside = &grams{}
	case byMail, byHost:
		f.domains = newDomains()
	case byRange:
		f.ranges = &ranges{rules: map[netip.Prefix][]int32{}}
	case byNumber:
		f.numbers = &spans{}
	case byTruth:
		f.truths = &[2][]int32{}
	}
	return g
}

// Field is the field that the group's values are in.
func (g *Group) Field() int { return int(g.field) }

func (n *Need) group(k kind) groupID { return groupID{int32(n.Field), k} } //nolint:gosec // fields are counted from 0

// groups names the groups that a need belongs to.
func (n *Need) groups() []groupID {
	var out []groupID
	add := func(k kind, belongs bool) {
		if id := n.group(k); belongs && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for _, l := range n.Literals {
		add(kindOf(l.Form), true)
	}
	add(byFolder, len(n.Folders) > 0)
	add(byBelow, len(n.Below) > 0)
	add(byMail, len(n.Mails) > 0)
	add(byHost, len(n.Hosts) > 0)
	add(byRange, len(n.Ranges) > 0)
	add(byNumber, len(n.Numbers) > 0)
	add(byTruth, n.Yes || n.No)
	return out
}

func kindOf(form match.Form) kind {
	switch form {
	case match.Head:
		return byHead
	case match.Tail:
		return byTail
	case match.Inside:
		return byInside
	default:
		return byText
	}
}

// tokens calls f for each value that the need is found by, ranges of numbers
// left out.
func (n *Need) tokens(f func(token)) {
	for _, l := range n.Literals {
		f(token{n.group(kindOf(l.Form)), l.Text})
	}
	for _, folder := range n.Folders {
		f(token{n.group(byFolder), folder.Prefix()})
	}
	for _, folder := range n.Below {
		f(token{n.group(byBelow), folder})
	}
	for _, d := range n.Mails {
		f(token{n.group(byMail), d.Text()})
	}
	for _, d := range n.Hosts {
		f(token{n.group(byHost), d.Text()})
	}
	for _, r := range n.Ranges {
		f(token{n.group(byRange), r.String()})
	}
	if n.Yes {
		f(token{n.group(byTruth), "true"})
	}
	if n.No {
		f(token{n.group(byTruth), "false"})
	}
}

// add puts a rule into the group.
func (g *Group) add(n *Need, at int32, strict bool) {
	g.all = append(g.all, at)
	if strict {
		g.strict = append(g.strict, at)
	}
	if n.Longest > 0 && (g.longest == 0 || n.Longest < g.longest) {
		g.longest = n.Longest
	}
	f := &g.finder
	switch g.kind {
	case byText, byHead, byTail, byInside:
		for _, l := range n.Literals {
			switch {
			case kindOf(l.Form) != g.kind:
			case g.kind == byInside:
				f.inside.add(l.Text, at)
			default:
				f.words.add(l.Text, at)
			}
		}
	case byFolder:
		for _, folder := range n.Folders {
			folded, _, _ := match.AppendFolded(nil, folder.Prefix())
			f.words.add(string(folded), at)
		}
	case byBelow:
		for _, folder := range n.Below {
			f.words.add(folder, at)
		}
	case byMail:
		f.domains.add(n.Mails, at)
	case byHost:
		f.domains.add(n.Hosts, at)
	case byRange:
		f.ranges.add(n.Ranges, at)
	case byNumber:
		f.numbers.add(n.Numbers, at)
	case byTruth:
		for i, asked := range [2]bool{n.No, n.Yes} {
			if asked {
				f.truths[i] = append(f.truths[i], at)
			}
		}
	}
}

func (g *Group) finish() {
	switch f := &g.finder; g.kind {
	case byText, byHead, byTail, byBelow:
		if g.kind == byBelow {
			f.folders = slices.SortedFunc(slices.Values(f.words.asked), func(a, b asked) int { return strings.Compare(a.text, b.text) })
		}
		if g.few = newHandful(f.words.asked); g.few == nil {
			f.words.finish()
		}
	case byFolder:
		f.words.finish()
	case byInside:
		f.inside.finish()
	case byMail, byHost:
		f.domains.finish()
	case byNumber:
		f.numbers.finish()
	default:
	}
}

// Find appends the rules that a value can make match, some perhaps twice.
func (g *Group) Find(v *predicate.Value, out []int32) []int32 {
	if !v.IsList() {
		return g.one(v, out)
	}
	first, n := len(out), len(v.List)
	if v.Kind == predicate.Array {
		n = v.JSON.Len()
	}
	switch {
	case n == 0:
		return append(out, g.strict...)
	case n > predicate.MaxElements:
		return append(out, g.all...)
	}
	var element predicate.Value
	for _, text := range v.List {
		element = predicate.Value{Kind: predicate.Text, Text: text}
		out = g.trim(first, g.one(&element, out))
	}
	if v.Kind == predicate.Array {
		for _, item := range v.JSON.Items() {
			element = inner(item)
			out = g.trim(first, g.one(&element, out))
		}
	}
	return out
}

// inner is an element of a list: a list inside of a list is not looked into.
func inner(item canon.Value) (v predicate.Value) {
	if v.SetJSON(item); v.Kind == predicate.Array {
		v.Kind = predicate.Object
	}
	return v
}

// trim takes out what was found twice, once that is more than there are rules:
// a long list must not make a long list of rules.
func (g *Group) trim(first int, out []int32) []int32 {
	if len(out)-first <= len(g.all) {
		return out
	}
	return append(out[:first], g.all...)
}

// one looks a single value up.
func (g *Group) one(v *predicate.Value, out []int32) []int32 {
	switch g.kind {
	case byNumber:
		if !v.IsNumber() {
			return append(out, g.strict...)
		}
		return g.finder.numbers.find(v.Near(), out)
	case byTruth:
		switch {
		case v.Kind != predicate.Boolean:
			return append(out, g.strict...)
		case v.Truth:
			return append(out, g.finder.truths[1]...)
		}
		return append(out, g.finder.truths[0]...)
	default:
	}
	if v.Kind != predicate.Text {
		return append(out, g.strict...)
	}
	if g.longest > 0 && len(v.Text) > g.longest {
		return append(out, g.all...)
	}
	return g.text(v.Text, out)
}

func (g *Group) text(s string, out []int32) []int32 {
	f := &g.finder
	var ok bool
	switch g.kind {
	case byText:
		if g.few != nil {
			return g.few.find(s, out)
		}
		return f.words.find(s, out)
	case byHead:
		return g.heads(s, out)
	case byBelow:
		if !match.Canonical(s) {
			return append(out, g.strict...)
		}
		return g.heads(lowered(s), out)
	case byTail:
		if g.few != nil {
			return g.few.tails(s, out)
		}
		return f.words.tails(s, out)
	case byInside:
		return f.inside.find(s, g.all, out)
	case byFolder:
		out, ok = f.words.folder(s, out)
	case byMail:
		out, ok = f.domains.mail(s, out)
	case byHost:
		out, ok = f.domains.host(s, out)
	default:
		out, ok = f.ranges.find(s, out)
	}
	if !ok {
		return append(out, g.strict...)
	}
	return out
}

func (g *Group) heads(s string, out []int32) []int32 {
	if g.few != nil {
		return g.few.heads(s, out)
	}
	return g.finder.words.heads(s, out)
}

// lowered has ASCII's capitals in lower case, and all else as it is.
func lowered(s string) string {
	isCapital := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	for i := range len(s) {
		if !isCapital(s[i]) {
			continue
		}
		b := []byte(s)
		for ; i < len(b); i++ {
			if isCapital(b[i]) {
				b[i] |= 0x20
			}
		}
		return string(b)
	}
	return s
}

// Partly finds rules by a value of which perhaps only a part is known: then it is
// all of them, as it is where the value is not there.
func (g *Group) Partly(v *predicate.Value, out []int32) []int32 {
	if v.Kind == predicate.Text || v.Kind == predicate.Boolean || v.IsNumber() {
		return g.trim(0, g.one(v, out))
	}
	return g.All(out)
}

// Below finds rules by a clean path and everything below it.
func (g *Group) Below(path string, out []int32) []int32 {
	if g.kind != byBelow || !match.Canonical(path) {
		return g.All(out)
	}
	path = lowered(path)
	out = g.heads(path, out)
	first, _ := slices.BinarySearchFunc(g.finder.folders, path, func(a asked, s string) int { return strings.Compare(a.text, s) })
	for _, a := range g.finder.folders[first:] {
		if !strings.HasPrefix(a.text, path) {
			break
		}
		out = append(out, a.at)
	}
	return g.trim(0, out)
}

// All puts every rule of the group in the place of what was found.
func (g *Group) All(out []int32) []int32 { return append(out[:0], g.all...) }
