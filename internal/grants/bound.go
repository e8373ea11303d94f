// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// tests is a mapping of the policy language.
type tests = map[string]any

func number(n int) string { return strconv.Itoa(n) }

// bound is what a form makes of an argument.
type bound struct {
	when    tests         // of the value itself; nil for none
	effects []tests       // what effects it may have, where they are bounded
	words   string        // for people
	inside  []canon.Value // values to try as examples, nearest first
	outside []canon.Value // values to try as examples of what is not meant
}

// plainText keeps out of free text what a person does not see.
const plainText = `[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*`

// bound says what calls a form lets through, or why the argument cannot be freed
// in that way.
func (f *Free) bound(p *place) (bound, error) {
	switch {
	case p.hidden:
		return bound{}, refused("the argument %s is not shown as it is: nobody can free what nobody sees", p.at)
	case p.mixed:
		return bound{}, refused("the argument %s means several things at once and stays as it is", p.at)
	case p.role.Kind == tv.RoleCode:
		return bound{}, refused("the argument %s is a program in a language that is not analysed: it stays as it is", p.at)
	case p.program() && f.Does == nil:
		return bound{}, refused("the argument %s is a program: free it by what it does, not by its text", p.at)
	case !p.program() && f.Does != nil:
		return bound{}, refused("the argument %s is no program: does is for commands and statements", p.at)
	case p.role.Kind != "" && len(p.effects) == 0 && p.role.Kind != tv.RoleHeader:
		return bound{}, refused("what the argument %s does is not known: it stays as it is", p.at)
	case slices.ContainsFunc(p.effects, func(e tv.Effect) bool { return e.Kind == tv.EffectOpaque }):
		return bound{}, refused("what the argument %s does was not understood: it stays as it is", p.at)
	}
	switch {
	case f.Between != nil:
		return f.between(p)
	case f.In != nil:
		return f.oneOf(p)
	case f.Prefix != "" || f.Glob != "":
		return f.text(p)
	case f.Under != nil:
		return f.under(p)
	case f.Hosts != nil:
		return f.hosts(p)
	case f.Domains != nil:
		return f.domains(p)
	case f.Either:
		return f.either(p)
	case f.Subset != nil:
		return f.subset(p)
	}
	return f.does(p)
}

func (p *place) wants(role tv.RoleKind, kind canon.Kind, form string) error {
	if p.role.Kind != role || p.value.Kind() != kind {
		return refused("the argument %s is not of the kind that %s is for", p.at, form)
	}
	return nil
}

// source tests that an effect comes out of the argument.
func (p *place) source() tests {
	return tests{"any": []any{tests{"source": p.at}, tests{"source": tests{"prefix": p.at + "/"}}}}
}

// list wraps a test of one value where the argument is a list of them.
func (p *place) list(t tests) tests {
	if p.value.Kind() != canon.KindArray {
		return t
	}
	return tests{"type": "array", "length": tests{"between": []int{1, max(p.value.Len(), 1)}}, "every": t}
}

func (f *Free) between(p *place) (bound, error) {
	from, to := f.Between[0], f.Between[1]
	if from.Cmp(to) > 0 {
		return bound{}, refused("between of %s: the first number is above the second", p.at)
	}
	b := bound{words: fmt.Sprintf("from %s to %s", from, to)}
	if p.role.Kind == tv.RoleMoney {
		e := &p.effects[0]
		if len(p.effects) != 1 || e.Kind != tv.EffectSpend || e.Currency == "" {
			return bound{}, refused("what the argument %s spends is not known: it stays as it is", p.at)
		}
		b.words += " " + e.Currency
		b.when = tests{"type": p.value.Kind().String()} // a list of amounts is not one amount: each of them could be the largest
		b.effects = []tests{{"kind": "spend", "all": []any{p.source(), tests{"amount": tests{"between": f.Between}}}, "currency": e.Currency}}
	} else if err := p.wants("", canon.KindNumber, "between"); err != nil {
		return bound{}, err
	}
	if p.value.Kind() == canon.KindNumber {
		b.when = tests{"type": "number", "between": f.Between}
		for _, n := range f.Between {
			if limit := p.limits.outside(n.Value()); limit != "" && p.role.Kind == "" {
				return bound{}, refused("between of %s: the tool takes %s", p.at, limit)
			}
		}
	}
	step := canon.IntNumber(1)
	for _, n := range []canon.Number{to, from, middle(from, to), from.Add(step), to.Add(canon.IntNumber(-1))} {
		if n.Cmp(from) >= 0 && n.Cmp(to) <= 0 {
			b.inside = append(b.inside, p.spelt(n))
		}
	}
	cent, _ := canon.ParseDecimal("0.01")
	for _, n := range []canon.Number{to.Add(cent), to.Add(step), from.Add(canon.IntNumber(-1))} {
		b.outside = append(b.outside, p.spelt(n))
	}
	return b, nil
}

// spelt is a number as the argument writes it: as text where it is text, with at
// least as many decimals, since a tool that is told 150.00 may not take 1.
func (p *place) spelt(n canon.Number) canon.Value {
	if p.value.Kind() != canon.KindString {
		return n.Value()
	}
	whole, decimals, _ := strings.Cut(n.String(), ".")
	_, own, _ := strings.Cut(p.value.Text(), ".")
	if strings.Trim(own, "0123456789") == "" && len(own) > len(decimals) {
		decimals += strings.Repeat("0", len(own)-len(decimals))
	}
	if decimals == "" {
		return canon.String(whole)
	}
	return canon.String(whole + "." + decimals)
}

// middle is a whole number between two, where there is one.
func middle(from, to canon.Number) canon.Number {
	a, ok := from.Int64()
	b, also := to.Int64()
	if !ok || !also {
		return from
	}
	return canon.IntNumber(a + (b-a)/2)
}

func (f *Free) oneOf(p *place) (bound, error) {
	switch k := p.value.Kind(); {
	case k == canon.KindArray || k == canon.KindObject || k == canon.KindNull:
		return bound{}, refused("the argument %s is no single value: free a list with subset", p.at)
	case slices.ContainsFunc(f.In, func(v canon.Value) bool { return v.Kind() != k }):
		return bound{}, refused("in of %s: the call has a %s there, and not all of the list are", p.at, k)
	}
	for _, v := range f.In {
		if limit := p.limits.outside(v); limit != "" {
			return bound{}, refused("in of %s: the tool takes %s", p.at, limit)
		}
	}
	return bound{
		when: tests{"type": p.value.Kind().String(), "in": f.In}, words: "one of " + listed(f.In), inside: f.In,
		outside: slices.Concat(p.limits.Enum, nearby(p.value)),
	}, nil
}

func listed(values []canon.Value) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = string(canon.Append(nil, v))
	}
	return strings.Join(parts, ", ")
}

// text frees text by its beginning, or by its form. What a person cannot see is
// kept out of it, and it is no longer than twice what the person saw.
func (f *Free) text(p *place) (bound, error) {
	if err := p.wants(p.role.Kind, canon.KindString, "prefix or glob"); err != nil || p.role.Kind != "" && p.role.Kind != tv.RoleHeader {
		return bound{}, refused("the argument %s has a meaning that its text does not bound: use under, hosts, domains, between or in", p.at)
	}
	length := f.Length
	if length == 0 {
		length = max(2*utf8.RuneCountInString(p.value.Text()), 32)
	}
	if most := p.limits.MaxLength; most > 0 {
		length = min(length, most)
	}
	b := bound{when: tests{"type": "string", "length": tests{"lte": length}, "regex": plainText}}
	if f.Prefix != "" {
		b.when["prefix"] = f.Prefix
		b.words = fmt.Sprintf("text that begins with %s, of at most %d characters", canon.Quote(f.Prefix), length)
		for _, rest := range []string{"1", "-example", "other"} {
			b.inside = append(b.inside, canon.String(f.Prefix+rest))
		}
	} else {
		if literal := strings.NewReplacer("*", "", "?", "").Replace(f.Glob); len(literal) == 0 {
			return bound{}, refused("glob of %s: it would fit any text", p.at)
		}
		b.when["glob"] = f.Glob
		b.words = fmt.Sprintf("text of the form %s, of at most %d characters", canon.Quote(f.Glob), length)
		for _, filled := range []string{"1", "example", "other"} {
			b.inside = append(b.inside, canon.String(strings.NewReplacer("*", filled, "?", filled[:1]).Replace(f.Glob)))
		}
	}
	for _, s := range []string{"x" + p.value.Text(), p.value.Text() + strings.Repeat("x", length)} {
		b.outside = append(b.outside, canon.String(s))
	}
	return b, nil
}

func (f *Free) either(p *place) (bound, error) {
	if err := p.wants("", canon.KindBool, "either"); err != nil {
		return bound{}, err
	}
	return bound{
		when: tests{"type": "boolean"}, words: "true or false",
		inside: []canon.Value{canon.Bool(true), canon.Bool(false)},
	}, nil
}

func (f *Free) subset(p *place) (bound, error) {
	if err := p.wants("", canon.KindArray, "subset"); err != nil {
		return bound{}, err
	}
	b := bound{
		when:  tests{"type": "array", "length": tests{"between": []int{1, len(f.Subset)}}, "every": tests{"in": f.Subset}},
		words: "a list of one or more of " + listed(f.Subset), inside: []canon.Value{canon.Array(f.Subset...)},
		outside: []canon.Value{canon.Array(append(p.value.Elems(), nearby(f.Subset[0])...)...)},
	}
	for _, v := range f.Subset {
		b.inside = append(b.inside, canon.Array(v))
	}
	return b, nil
}

// nearby are values like one that are not it.
func nearby(v canon.Value) []canon.Value {
	switch v.Kind() {
	case canon.KindNumber:
		return []canon.Value{v.Number().Add(canon.IntNumber(1)).Value(), v.Number().Add(canon.IntNumber(-1)).Value()}
	case canon.KindString:
		text := v.Text()
		out := []canon.Value{canon.String(text + "x"), canon.String(text + "2"), canon.String("other")}
		if n := len(text); n > 0 && text[n-1] >= '0' && text[n-1] <= '8' {
			out = slices.Insert(out, 0, canon.String(text[:n-1]+string(text[n-1]+1)))
		}
		return out
	case canon.KindBool:
		return []canon.Value{canon.Bool(!v.Bool())}
	case canon.KindArray:
		elems := v.Elems()
		out := []canon.Value{canon.Array(append(slices.Clone(elems), canon.String("other"))...)}
		if len(elems) > 0 {
			out = append(out, canon.Array(elems[1:]...), canon.Array(append(slices.Clone(elems), elems[0])...))
		}
		return out
	}
	return nil
}
