// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// The oracle is the language's meaning written down a second time, as plainly as
// possible and without an index: a policy as Go values, rendered to YAML for the
// engine, and walked as it stands here.

type (
	oPolicy []oRule
	oRule   struct {
		id      string
		verdict toolverdict.Verdict
		tools   []string
		when    *oCond
		unless  *oCond
	}
	// oCond is one of all, any, not, a condition on effects, or a test of a field.
	oCond struct {
		all, any []oCond
		not      *oCond
		effects  *oEffects
		field    oField
		ops      []oOp
	}
	oField []string // steps; "*" is every element
	oOp    struct {
		name   string
		values []any // string, json.Number, bool
		ops    []oOp
	}
)

// truth: 1 true, 0 false, -1 unknown.
type truth int

func (t truth) not() truth {
	if t < 0 {
		return t
	}
	return 1 - t
}

func all(ts []truth) truth {
	out := truth(1)
	for _, t := range ts {
		switch {
		case t == 0:
			return 0
		case t < 0:
			out = -1
		}
	}
	return out
}

func anyOf(ts []truth) truth {
	inverse := make([]truth, len(ts))
	for i, t := range ts {
		inverse[i] = t.not()
	}
	return all(inverse).not()
}

// missing stands for no value, misplaced for what is inside of a value that has
// no inside.
type (
	missing   struct{}
	misplaced struct{}
)

// oracle decides a call.
func (p oPolicy) decide(toolName string, arguments any) (toolverdict.Verdict, []toolverdict.Match) {
	return p.decideCall(oCall{tool: toolName, arguments: arguments})
}

// oCall is a call with what it would do; effects are nil where that is not
// known.
type oCall struct {
	tool      string
	arguments any
	effects   []oEffect
}

func (p oPolicy) decideCall(call oCall) (toolverdict.Verdict, []toolverdict.Match) {
	toolName := call.tool
	verdict, found := toolverdict.Deny, false
	var matched []toolverdict.Match
	for _, r := range p {
		if !slices.ContainsFunc(r.tools, func(s string) bool {
			return s == "*" || s == toolName || s == strings.SplitN(toolName, "/", 2)[1]
		}) {
			continue
		}
		allow := r.verdict == toolverdict.Allow
		t := truth(1)
		if r.when != nil {
			t = r.when.eval(call, allow, true)
		}
		if r.unless != nil {
			t = all([]truth{t, r.unless.eval(call, allow, false).not()})
		}
		if t == 0 || allow && t < 0 {
			continue
		}
		matched = append(matched, toolverdict.Match{Rule: r.id, Verdict: r.verdict, Unknown: t < 0})
		if !found || r.verdict < verdict {
			verdict, found = r.verdict, true
		}
	}
	slices.SortFunc(matched, func(a, b toolverdict.Match) int { return strings.Compare(a.Rule, b.Rule) })
	return verdict, matched
}

func (c *oCond) eval(call oCall, allow, positive bool) truth {
	var ts []truth
	switch {
	case c.all != nil:
		for _, p := range c.all {
			ts = append(ts, p.eval(call, allow, positive))
		}
		return all(ts)
	case c.any != nil:
		for _, p := range c.any {
			ts = append(ts, p.eval(call, allow, positive))
		}
		return anyOf(ts)
	case c.not != nil:
		return c.not.eval(call, allow, !positive).not()
	}
	if c.effects != nil {
		return c.effects.eval(call, allow, positive)
	}
	every := allow == positive
	values := c.field.read(call.arguments)
	if !slices.Contains(c.field, "*") {
		return test(c.ops, values[0], allow, positive, true)
	}
	for _, v := range values {
		ts = append(ts, test(c.ops, v, allow, positive, false))
	}
	return join(ts, every, allow)
}

// join combines what is true of the elements of a list.
func join(ts []truth, every, allow bool) truth {
	switch {
	case len(ts) == 0 && allow:
		return -1
	case len(ts) == 0:
		return 0
	case every:
		return all(ts)
	}
	return anyOf(ts)
}

func (f oField) read(v any) []any {
	if len(f) == 0 {
		return []any{v}
	}
	switch v := v.(type) {
	case nil, missing:
		return []any{missing{}}
	case map[string]any:
		if f[0] == "*" {
			break
		}
		m, ok := v[f[0]]
		if !ok {
			m = missing{}
		}
		return f[1:].read(m)
	case []any:
		if f[0] != "*" {
			break
		}
		out := []any{}
		for _, e := range v {
			out = append(out, f[1:].read(e)...)
		}
		return out
	}
	return []any{misplaced{}}
}

func whole(o oOp) bool {
	return slices.Contains([]string{"exists", "type", "length", "any", "every"}, o.name) || o.name == "not" && slices.ContainsFunc(o.ops, whole)
}

// test applies operators to one value; a list is spread where it may be.
func test(ops []oOp, v any, allow, positive, spread bool) truth {
	var ts []truth
	var each []oOp
	for _, o := range ops {
		if whole(o) {
			ts = append(ts, o.whole(v, allow, positive, spread))
			continue
		}
		each = append(each, o)
	}
	elements, isList := v.([]any)
	switch {
	case len(each) == 0:
	case !isList || !spread:
		ts = append(ts, single(each, v))
	case len(elements) == 0:
		ts = append(ts, -1)
	default:
		var of []truth
		for _, e := range elements {
			of = append(of, single(each, e))
		}
		ts = append(ts, join(of, allow == positive, allow))
	}
	return all(ts)
}

func (o oOp) whole(v any, allow, positive, spread bool) truth {
	switch o.name {
	case "exists":
		switch v.(type) {
		case misplaced:
			return -1
		case missing:
			return toTruth(o.values[0] == false)
		}
		return toTruth(o.values[0] == true)
	case "type":
		switch v.(type) {
		case misplaced, missing:
			return -1
		}
		return toTruth(fmt.Sprintf("%T", v) == map[any]string{"string": "string", "number": "json.Number", "boolean": "bool", "array": "[]interface {}", "object": "map[string]interface {}", "null": "<nil>"}[o.values[0]])
	case "length":
		var n int
		switch v := v.(type) {
		case string:
			n = len([]rune(v))
		case []any:
			n = len(v)
		case map[string]any:
			n = len(v)
		default:
			return -1
		}
		return single(o.ops, json.Number(fmt.Sprint(n)))
	case "not":
		return test(o.ops, v, allow, !positive, spread).not()
	}
	elements, isList := v.([]any)
	if !isList {
		return single(o.ops, v)
	}
	var of []truth
	for _, e := range elements {
		of = append(of, single(o.ops, e))
	}
	return join(of, o.name == "every", allow)
}

func toTruth(b bool) truth {
	if b {
		return 1
	}
	return 0
}

// single applies operators to one value that is not spread.
func single(ops []oOp, v any) truth {
	var ts []truth
	for _, o := range ops {
		if o.name == "not" {
			ts = append(ts, single(o.ops, v).not())
			continue
		}
		ts = append(ts, o.single(v))
	}
	return all(ts)
}

func (o oOp) single(v any) truth {
	text, isText := v.(string)
	number, isNumber := v.(json.Number)
	switch o.name {
	case "eq", "in", "ne", "notIn":
		known, found := false, false
		for _, want := range o.values {
			switch want := want.(type) {
			case string:
				known, found = known || isText, found || isText && want == text
			case bool:
				b, isBool := v.(bool)
				known, found = known || isBool, found || isBool && b == want
			case json.Number:
				known, found = known || isNumber, found || isNumber && rat(want).Cmp(rat(number)) == 0
			}
		}
		if !known {
			return -1
		}
		return toTruth(found == (o.name == "eq" || o.name == "in"))
	case "gt", "gte", "lt", "lte", "between":
		if !isNumber {
			return -1
		}
		order := rat(number).Cmp(rat(o.values[0].(json.Number)))
		switch o.name {
		case "gt":
			return toTruth(order > 0)
		case "lt":
			return toTruth(order < 0)
		case "lte":
			return toTruth(order <= 0)
		case "between":
			return toTruth(order >= 0 && rat(number).Cmp(rat(o.values[1].(json.Number))) <= 0)
		}
		return toTruth(order >= 0)
	}
	if !isText {
		return -1
	}
	for _, want := range o.values {
		fits := map[string]func(string, string) bool{"prefix": strings.HasPrefix, "suffix": strings.HasSuffix, "contains": strings.Contains}[o.name]
		if fits(text, want.(string)) {
			return 1
		}
	}
	return 0
}

func rat(n json.Number) *big.Rat {
	r, _ := new(big.Rat).SetString(string(n))
	return r
}

// yaml writes the policy in the given order of rules.
func (p oPolicy) yaml(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "policy: %s\nversion: v1\nrules:\n", name)
	for _, r := range p {
		fmt.Fprintf(&b, "  - {id: %s, verdict: %s, reason: drawn, tools: [%s]", r.id, r.verdict, `"`+strings.Join(r.tools, `", "`)+`"`)
		if r.when != nil {
			fmt.Fprintf(&b, ", when: %s", r.when.yaml())
		}
		if r.unless != nil {
			fmt.Fprintf(&b, ", unless: %s", r.unless.yaml())
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func (c *oCond) yaml() string {
	list := func(cs []oCond) string {
		var parts []string
		for _, p := range cs {
			parts = append(parts, p.yaml())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	switch {
	case c.all != nil:
		return "{all: " + list(c.all) + "}"
	case c.any != nil:
		return "{any: " + list(c.any) + "}"
	case c.not != nil:
		return "{not: " + c.not.yaml() + "}"
	}
	if c.effects != nil {
		return c.effects.yaml()
	}
	if len(c.field) > 0 && strings.HasPrefix(c.field[0], "effect:") {
		return "{" + strings.TrimPrefix(c.field[0], "effect:") + ": " + opsYAML(c.ops) + "}"
	}
	return "{'args" + strings.ReplaceAll("."+strings.Join(c.field, "."), ".*", "[*]") + "': " + opsYAML(c.ops) + "}"
}

func opsYAML(ops []oOp) string {
	var parts []string
	for _, o := range ops {
		var operand string
		switch {
		case o.ops != nil:
			operand = opsYAML(o.ops)
		case len(o.values) == 1:
			b, _ := json.Marshal(o.values[0])
			operand = string(b)
		default:
			b, _ := json.Marshal(o.values)
			operand = string(b)
		}
		parts = append(parts, o.name+": "+operand)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// drawing makes policies and calls over few values, so that they meet.
type drawing struct {
	t        *rapid.T
	noExists bool // leave out operators that tell a missing value for certain
}

func (d drawing) pick(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(d.t, label)
}

func (d drawing) text() string { return d.pick("text", "a", "b", "ab", "abc", "ba", "") }

func (d drawing) number() json.Number {
	return json.Number(d.pick("number", "0", "1", "2", "2.5", "-1", "1e2", "9007199254740993"))
}

func (d drawing) scalar() any {
	switch rapid.IntRange(0, 5).Draw(d.t, "scalar") {
	case 0, 1, 2:
		return d.text()
	case 3, 4:
		return d.number()
	}
	return rapid.Bool().Draw(d.t, "bool")
}

// value is what an argument may hold.
func (d drawing) value(depth int) any {
	k := rapid.IntRange(0, 9).Draw(d.t, "value")
	switch {
	case k == 0:
		return nil
	case k <= 2 && depth > 0:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(d.t, "len") {
			out = append(out, d.value(depth-1))
		}
		return out
	case k == 3 && depth > 0:
		return map[string]any{"x": d.value(depth - 1)}
	}
	return d.scalar()
}

func (d drawing) arguments() map[string]any {
	out := map[string]any{}
	for _, name := range []string{"p", "q", "r", "o"} {
		if rapid.IntRange(0, 4).Draw(d.t, "present") > 0 {
			out[name] = d.value(2)
		}
	}
	return out
}

func (d drawing) field() oField {
	return rapid.SampledFrom([]oField{{"p"}, {"p"}, {"q"}, {"q"}, {"r"}, {"o"}, {"o", "x"}, {"r", "*"}, {"o", "x", "*"}, {"r", "*", "x"}}).Draw(d.t, "field")
}

func (d drawing) values(of func() any) []any {
	var out []any
	for range rapid.IntRange(1, 3).Draw(d.t, "values") {
		out = append(out, of())
	}
	return out
}

func (d drawing) op(depth int) oOp {
	word := func() any {
		if s := d.text(); s != "" {
			return s
		}
		return "a"
	}
	k := rapid.IntRange(0, 15).Draw(d.t, "op")
	if d.noExists && k >= 13 || depth == 0 && k >= 9 {
		k %= 9
	}
	switch {
	case k < 2:
		return oOp{name: "eq", values: []any{d.scalar()}}
	case k < 4:
		return oOp{name: d.pick("in", "in", "notIn"), values: d.values(d.scalar)}
	case k == 4:
		return oOp{name: "ne", values: []any{d.scalar()}}
	case k < 7:
		return oOp{name: d.pick("word", "prefix", "prefix", "suffix", "contains"), values: d.values(word)}
	case k < 9:
		return oOp{name: d.pick("order", "gt", "gte", "lt", "lte"), values: []any{d.number()}}
	case k < 11:
		return oOp{name: "not", ops: d.ops(depth - 1)}
	case k < 13:
		// Under any and every stand operators on single values only.
		return oOp{name: d.pick("list", "any", "every"), ops: []oOp{d.op(0)}}
	case k == 13:
		return oOp{name: "exists", values: []any{rapid.Bool().Draw(d.t, "want")}}
	case k == 14:
		return oOp{name: "type", values: []any{d.pick("type", "string", "number", "boolean", "array", "object", "null")}}
	}
	return oOp{name: "length", ops: []oOp{{name: d.pick("length", "eq", "gt", "lte"), values: []any{json.Number(d.pick("n", "0", "1", "2"))}}}}
}

func (d drawing) ops(depth int) []oOp {
	var out []oOp
	seen := map[string]bool{}
	for range rapid.IntRange(1, 2).Draw(d.t, "ops") {
		if o := d.op(depth); !seen[o.name] && (depth > 0 || !whole(o)) {
			seen[o.name] = true
			out = append(out, o)
		}
	}
	if out == nil {
		out = append(out, oOp{name: "eq", values: []any{d.scalar()}})
	}
	return out
}

func (d drawing) cond(depth int) *oCond {
	k := rapid.IntRange(0, 9).Draw(d.t, "cond")
	if depth == 0 {
		k = 9
	}
	switch {
	case k < 2:
		return &oCond{all: []oCond{*d.cond(depth - 1), *d.cond(depth - 1)}}
	case k < 3:
		return &oCond{any: []oCond{*d.cond(depth - 1), *d.cond(depth - 1)}}
	case k < 4:
		return &oCond{not: d.cond(depth - 1)}
	}
	return &oCond{field: d.field(), ops: d.ops(2)}
}

func (d drawing) rule(i int) oRule {
	r := oRule{id: fmt.Sprintf("r%03d", i), verdict: rapid.SampledFrom([]toolverdict.Verdict{toolverdict.Allow, toolverdict.Allow, toolverdict.Ask, toolverdict.Deny}).Draw(d.t, "verdict")}
	r.tools = [][]string{{"s/one"}, {"s/one", "s/two"}, {"one"}, {"*"}, {"s/two"}}[rapid.IntRange(0, 4).Draw(d.t, "tools")]
	if rapid.IntRange(0, 7).Draw(d.t, "when") > 0 {
		r.when = d.cond(2)
	}
	if rapid.IntRange(0, 3).Draw(d.t, "unless") == 0 {
		r.unless = d.cond(1)
	}
	return r
}

func (d drawing) policy() oPolicy {
	var p oPolicy
	for i := range rapid.IntRange(1, 30).Draw(d.t, "rules") {
		p = append(p, d.rule(i))
	}
	return p
}

func tryCompile(text string) (*policy.Set, error) {
	set, _, err := policy.Compile([]policy.File{{Name: "p.yaml", Content: []byte(text)}}, nil, policy.Options{})
	return set, err
}

// engine compiles files and returns a function that decides calls of s/one.
func engine(t *rapid.T, one *toolverdict.Tool, texts ...string) func(any) toolverdict.Decision {
	var files []policy.File
	for i, text := range texts {
		files = append(files, policy.File{Name: fmt.Sprintf("p%d.yaml", i), Content: []byte(text)})
	}
	set, _, err := policy.Compile(files, nil, policy.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(texts, "\n"))
	}
	return func(arguments any) toolverdict.Decision {
		return set.Decide(toolverdict.Request{Tool: one, Arguments: fromGo(t, arguments)})
	}
}

// TestOracle: the compiled policy, with its index, decides like the oracle, with
// the same matching rules.
func TestOracle(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t}
		p := d.policy()
		decide := engine(t, one, p.yaml("p"))
		for range 8 {
			call := d.arguments()
			verdict, matched := p.decide("s/one", call)
			got := decide(call)
			if got.Verdict != verdict || !slices.Equal(got.Rules, matched) {
				b, _ := json.Marshal(call)
				t.Fatalf("%s\n%s\nengine %s %v\noracle %s %v", p.yaml("p"), b, got.Verdict, got.Rules, verdict, matched)
			}
		}
	})
}

// keyed makes rules that the index finds by a value, with values that overlap
// and stand right at bounds.
func (d drawing) keyed() oPolicy {
	var p oPolicy
	for i := range rapid.IntRange(13, 60).Draw(d.t, "rules") {
		r := oRule{id: fmt.Sprintf("r%03d", i), tools: []string{"s/one"}}
		r.verdict = rapid.SampledFrom([]toolverdict.Verdict{toolverdict.Allow, toolverdict.Deny}).Draw(d.t, "verdict")
		number := func() any { return json.Number(fmt.Sprint(rapid.IntRange(-2, 2).Draw(d.t, "bound"))) }
		word := func() any { return d.pick("word", "a", "ab", "abc", "b", "ba") }
		var o oOp
		field := "p"
		switch rapid.IntRange(0, 5).Draw(d.t, "key") {
		case 0, 1:
			o = oOp{name: "in", values: d.values(word)}
		case 2:
			o = oOp{name: "prefix", values: d.values(word)}
		case 3:
			field, o = "q", oOp{name: d.pick("order", "gt", "gte", "lt", "lte"), values: []any{number()}}
		case 4:
			low, width := rapid.IntRange(-2, 2).Draw(d.t, "low"), rapid.IntRange(0, 2).Draw(d.t, "width")
			field, o = "q", oOp{name: "between", values: []any{json.Number(fmt.Sprint(low)), json.Number(fmt.Sprint(low + width))}}
		default:
			o = oOp{name: "in", values: []any{word(), number()}}
		}
		c := oCond{field: oField{field}, ops: []oOp{o}}
		r.when = rapid.SampledFrom([]*oCond{&c, {all: []oCond{c, *d.cond(0)}}, {any: []oCond{c, *d.cond(0)}}, {not: &c}}).Draw(d.t, "when")
		p = append(p, r)
	}
	return p
}

// TestIndex holds the index to the oracle where it works hardest.
func TestIndex(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t}
		p := d.keyed()
		decide := engine(t, one, p.yaml("p"))
		for range 6 {
			call := map[string]any{"p": d.value(1), "q": json.Number(fmt.Sprint(rapid.IntRange(-3, 3).Draw(t, "q")))}
			if rapid.IntRange(0, 5).Draw(t, "odd") == 0 {
				call["q"] = d.value(1)
			}
			verdict, matched := p.decide("s/one", call)
			got := decide(call)
			if got.Verdict != verdict || !slices.Equal(got.Rules, matched) {
				b, _ := json.Marshal(call)
				t.Fatalf("%s\n%s\nengine %s %v\noracle %s %v", p.yaml("p"), b, got.Verdict, got.Rules, verdict, matched)
			}
		}
	})
}
