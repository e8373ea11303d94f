// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/toolverdict/toolverdict/internal/canon"
)

func roots() []string {
	return []string{"args", "tool", "subject", "agent", "session", "run", "env", "time"}
}

// hostFields are the members of a root that the host fills.
func hostFields(root string) []string {
	switch root {
	case "tool":
		return []string{"name", "server", "safety", "risk", "permission", "confirmation", "execution", "groups"}
	case "subject":
		return []string{"id", "kind", "user", "roles", "permissions", "authenticated"}
	case "agent":
		return []string{"id", "model"}
	case "session":
		return []string{"id"}
	case "run":
		return []string{"id", "readOnly"}
	case "time":
		return []string{"now", "date", "clock", "hour", "minute", "weekday"}
	}
	return nil
}

func (d *decoder) condition(n *node, what string) Condition {
	switch {
	case n.kind != object:
		d.problem(n.pos, "write field: test, or all, any, not", "%s is %s, not a mapping", what, n.kind)
		return &All{}
	case len(n.keys) == 0:
		d.problem(n.pos, "leave it out if there is no condition", "%s is empty", what)
		return &All{}
	}
	var parts []Condition
	seen := map[string]bool{}
	for i, k := range n.keys {
		if seen[k.text] {
			d.problem(k.pos, "keep one of them, or put both under all", "the key %q is given twice", shorten(k.text))
		}
		seen[k.text] = true
		if c := d.entry(k, n.values[i]); c != nil {
			parts = append(parts, c)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return &All{Parts: parts}
}

func (d *decoder) entry(k, v *node) Condition {
	switch k.text {
	case "all":
		return &All{Parts: d.conditions(v, "all")}
	case "any":
		return &Any{Parts: d.conditions(v, "any")}
	case "not":
		return &Not{Part: d.condition(v, "not")}
	}
	if d.effect {
		return d.effectTest(k, v)
	}
	if k.text == "cel" {
		return d.cel(v)
	}
	switch root, end := cutRoot(k.text); root {
	case "effects":
		return d.effects(k, v, strings.TrimPrefix(k.text[end:], "."))
	case "history":
		return d.history(k, v)
	}
	f, ok := d.field(k)
	if !ok {
		return nil
	}
	return &Test{Field: f, Ops: d.ops(v, f.Text)}
}

func (d *decoder) conditions(n *node, what string) []Condition {
	var parts []Condition
	for _, item := range d.items(n, what, false) {
		parts = append(parts, d.condition(item, "an entry of "+what))
	}
	return parts
}

// field reads a path such as args.items[*]["unit price"].
func (d *decoder) field(k *node) (Field, bool) {
	f := Field{Pos: k.pos, Text: k.text}
	root, end := cutRoot(k.text)
	f.Root = root
	if !slices.Contains(roots(), f.Root) {
		d.problem(k.pos, didYouMean(f.Root, append([]string{"all", "any", "not", "cel", "effects.any", "effects.every"}, slices.Concat(historyKinds(), roots())...)), "unknown field %q", shorten(k.text))
		return f, false
	}
	for rest := k.text[end:]; rest != ""; {
		step, after, why := nextStep(rest)
		if why != "" {
			d.problem(k.pos, `write it like args.name, args["odd name"], args.list[*] or args.list[0]`, "the field %q does not parse: %s", shorten(k.text), why)
			return f, false
		}
		f.Steps, rest = append(f.Steps, step), after
	}
	return f, d.known(f)
}

// cutRoot returns what a field starts with, and where the rest begins.
func cutRoot(field string) (root string, end int) {
	if end = strings.IndexAny(field, ".["); end < 0 {
		end = len(field)
	}
	return field[:end], end
}

// known checks the fields that the host fills: there, nothing is open.
func (d *decoder) known(f Field) bool {
	if len(f.Steps) == 0 {
		d.problem(f.Pos, fmt.Sprintf("write %s.NAME", f.Root), "%s alone is no field", f.Root)
		return false
	}
	if f.Root == "args" {
		if len(f.Steps) > maxDepth {
			d.problem(f.Pos, "test something nearer", "the field has more than %d steps", maxDepth)
		}
		return true
	}
	plain := len(f.Steps) == 1 && f.Steps[0].Kind == Member
	if f.Root == "env" {
		if !plain {
			d.problem(f.Pos, "environment facts are plain texts: write env.NAME", "%q looks inside a text", shorten(f.Text))
		}
		return plain
	}
	names := hostFields(f.Root)
	if !plain || !slices.Contains(names, f.Steps[0].Name) {
		known := make([]string, len(names))
		for i, name := range names {
			known[i] = f.Root + "." + name
		}
		d.problem(f.Pos, didYouMean(f.Text, known), "unknown field %q", shorten(f.Text))
		return false
	}
	return true
}

// nextStep reads one step of a path and says why it cannot.
func nextStep(s string) (step Step, rest, why string) {
	if s[0] == '.' {
		end := 1 + strings.IndexFunc(s[1:], func(r rune) bool { return !nameRune(r) })
		if end == 0 {
			end = len(s)
		}
		if end == 1 {
			return step, "", "a name is missing after a dot"
		}
		if end < len(s) && s[end] != '.' && s[end] != '[' {
			return step, "", `odd characters go in ["…"]`
		}
		return Step{Kind: Member, Name: s[1:end]}, s[end:], ""
	}
	if s[0] != '[' {
		return step, "", "a dot or a bracket is missing"
	}
	if strings.HasPrefix(s, `["`) {
		return quotedStep(s)
	}
	inner, rest, closed := strings.Cut(s[1:], "]")
	i, err := strconv.Atoi(inner)
	switch {
	case !closed:
		return step, "", "a bracket is not closed"
	case inner == "*":
		return Step{Kind: Every}, rest, ""
	case err != nil || i < 0 || i > 1_000_000 || strconv.Itoa(i) != inner:
		return step, "", `a bracket holds *, a number from 0, or a name in double quotes`
	}
	return Step{Kind: Index, Index: i}, rest, ""
}

func quotedStep(s string) (step Step, rest, why string) {
	for i := 2; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '"' && strings.HasPrefix(s[i+1:], "]"):
			v, err := canon.Parse([]byte(s[1:i+1]), canon.Limits{})
			if err != nil {
				return step, "", "the quoted name is not a JSON string"
			}
			return Step{Kind: Member, Name: v.Text()}, s[i+2:], ""
		case s[i] == '"':
			return step, "", "a bracket is not closed after the quoted name"
		}
	}
	return step, "", "a quoted name is not closed"
}

func nameRune(r rune) bool {
	return r == '_' || r == '-' || r == '$' || r == '@' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// shape is what an operator is followed by.
type shape uint8

const (
	oneScalar shape = iota
	scalars         // one or a list
	pair
	flag
	nested // a test of its own
	words  // type names
)

// Operators returns the names of all operators, sorted.
func Operators() []string {
	return []string{
		"any", "between", "cidr", "contains", "domainIn", "eq", "every", "exists", "glob", "gt", "gte", "hostIn", "in",
		"length", "lt", "lte", "ne", "not", "notIn", "prefix", "regex", "suffix", "type", "under",
	}
}

func shapeOf(operator string) shape {
	switch operator {
	case "eq", "ne", "gt", "gte", "lt", "lte":
		return oneScalar
	case "between":
		return pair
	case "exists":
		return flag
	case "type":
		return words
	case "any", "every", "not", "length":
		return nested
	}
	return scalars
}

// ops reads what a field is tested for: a scalar is equality, a list is one of,
// a mapping holds operators that must all hold.
func (d *decoder) ops(n *node, what string) []Op {
	switch n.kind {
	case object:
	case null:
		d.nothing(n, what)
		return nil
	case list:
		return []Op{{Pos: n.pos, Name: "in", Values: d.literals(n, what)}}
	default:
		return []Op{{Pos: n.pos, Name: "eq", Values: d.literals(n, what)}}
	}
	if n.uses() {
		return []Op{{Pos: n.pos, Name: "in", Values: d.literals(n, what)}}
	}
	if len(n.keys) == 0 {
		d.problem(n.pos, "write an operator, such as eq, gt or prefix", "the test of %s is empty", what)
	}
	var out []Op
	seen := map[string]bool{}
	for i, k := range n.keys {
		if seen[k.text] {
			d.problem(k.pos, "keep one of them", "the operator %q is given twice", shorten(k.text))
		}
		seen[k.text] = true
		if op, ok := d.op(k, n.values[i]); ok {
			out = append(out, op)
		}
	}
	return out
}

func (d *decoder) nothing(n *node, what string) {
	d.problem(n.pos, `write {exists: false} for a field that is not there, {type: "null"} for one that is null`, "%s is compared with nothing", what)
}

func (d *decoder) op(k, v *node) (Op, bool) {
	if !slices.Contains(Operators(), k.text) {
		hint := didYouMean(k.text, Operators())
		if k.text == "use" {
			hint = "write in: {use: NAME} beside other operators"
		}
		d.problem(k.pos, hint, "unknown operator %q", shorten(k.text))
		return Op{}, false
	}
	op := Op{Pos: k.pos, Name: k.text}
	switch shapeOf(k.text) {
	case flag:
		op.Bool = d.truth(v, k.text)
	case nested:
		op.Ops = d.ops(v, k.text)
	case words:
		op.Values = d.typeNames(v)
	case oneScalar:
		if v.kind == list || v.kind == object {
			d.problem(v.pos, "use in for one of several", "%s takes one value, not %s", k.text, v.kind)
			return op, false
		}
		op.Values = d.literals(v, k.text)
	case pair:
		op.Values = d.literals(v, k.text)
		if len(op.Values) != 2 {
			d.problem(v.pos, "write between: [lowest, highest]", "between takes two values")
			return op, false
		}
	case scalars:
		op.Values = d.literals(v, k.text)
	}
	return op, true
}

func (d *decoder) literals(n *node, what string) []Literal {
	if n.kind == null {
		d.nothing(n, what)
		return nil
	}
	var out []Literal
	for _, item := range d.values(n, what) {
		l := Literal{Pos: item.pos, Text: item.text, Number: item.number, Bool: item.truth, List: item.list}
		switch item.kind {
		case text:
		case number:
			l.Kind = Number
		case boolean:
			l.Kind = Bool
		default:
			d.problem(item.pos, "write text, a number, true or false", "%s is compared with %s", what, item.kind)
			continue
		}
		out = append(out, l)
	}
	return out
}

// TypeNames returns the JSON types that the operator type knows.
func TypeNames() []string {
	return []string{"string", "number", "integer", "boolean", "array", "object", "null"}
}

// typeNames reads JSON types. A bare null in YAML is the word, too.
func (d *decoder) typeNames(n *node) []Literal {
	if n.kind == null {
		return []Literal{{Pos: n.pos, Text: "null"}}
	}
	var out []Literal
	for _, item := range d.items(n, "type", true) {
		l := Literal{Pos: item.pos, Text: item.text}
		if item.kind == null {
			l.Text = "null"
		}
		if !slices.Contains(TypeNames(), l.Text) || item.kind != text && item.kind != null {
			d.problem(item.pos, didYouMean(l.Text, TypeNames()), "%q is no JSON type", shorten(l.Text))
		}
		out = append(out, l)
	}
	return out
}
