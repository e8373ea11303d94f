// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package convert_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/workbench/convert"
	"github.com/toolverdict/toolverdict/policy"
)

// anything is a schema that takes every object.
type anything struct{}

func (anything) Clash(tv.Value) (tv.FieldError, bool) { return tv.FieldError{}, false }

func (anything) Validate(tv.Value) []tv.FieldError { return nil }

func newTool(t testing.TB, def tv.Definition) *tv.Tool {
	t.Helper()
	def.Server, _, _ = strings.Cut(def.Name, "/")
	def.Safety, def.Risk, def.Confirmation, def.Execution = tv.Destructive, tv.LowRisk, tv.ConfirmByRisk, tv.Parallel
	tool, err := tv.NewTool(def, anything{})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

type catalogOf []*tv.Tool

func (c catalogOf) Tool(name string) (*tv.Tool, bool) {
	for _, t := range c {
		if t.Name() == name {
			return t, true
		}
	}
	return nil, false
}

func (c catalogOf) Tools() []*tv.Tool { return c }

// compile loads what was written, as a gate would.
func compile(t testing.TB, c convert.Converted, tools []*tv.Tool) *policy.Set {
	t.Helper()
	text := c.File.YAML()
	set, _, err := policy.Compile([]policy.File{{Name: "imported.yaml", Content: text}}, catalogOf(tools), policy.Options{Discovery: true})
	if err != nil {
		t.Fatalf("what was written does not load: %v\n%s", err, text)
	}
	return set
}

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.ParseObject([]byte(text), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func options() convert.Options { return convert.Options{Policy: "imported", Version: "v1"} }

// The law of the conversion: on every call the policy says what the list says.
func TestAnOrderedListKeepsItsMeaning(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "s/a", "other/b"}
	tools := []*tv.Tool{newTool(t, tv.Definition{Name: "s/a"}), newTool(t, tv.Definition{Name: "s/b"}), newTool(t, tv.Definition{Name: "other/a"}), newTool(t, tv.Definition{Name: "other/b"})}
	values := []string{`"x"`, `"xy"`, `"true"`, `true`, `1`, `null`, `""`, `["x"]`, `[]`, `{"x": 1}`}
	tests := []string{`"p": "x"`, `"p": "startswith:x"`, `"p": "startswith:"`, `"p_startswith": "xy"`, `"p": true`, `"p": 1.0`, `"p": null`, `"q": "x"`, `"q_startswith": "x"`, `"q": ""`, `"odd name": "x"`}
	rapid.Check(t, func(t *rapid.T) {
		var rules []string
		for i := range rapid.IntRange(1, 6).Draw(t, "rules") {
			conditions := []string{}
			switch rapid.IntRange(0, 3).Draw(t, "tools") {
			case 0:
			case 1:
				conditions = append(conditions, fmt.Sprintf(`"tool_name": %q`, rapid.SampledFrom(names).Draw(t, "name")))
			default:
				list := rapid.SliceOfN(rapid.SampledFrom(names), 0, 3).Draw(t, "names")
				conditions = append(conditions, `"tool_name_in": ["`+strings.Join(list, `", "`)+`"]`)
				if len(list) == 0 {
					conditions[0] = `"tool_name_in": []`
				}
			}
			if picked := rapid.SliceOfNDistinct(rapid.SampledFrom(tests), 0, 3, func(s string) string { name, _, _ := strings.Cut(s, ":"); return name }).Draw(t, "tests"); len(picked) > 0 {
				conditions = append(conditions, `"parameters": {`+strings.Join(picked, ", ")+`}`)
			}
			rules = append(rules, fmt.Sprintf(`{"id": "r%d", "action": %q, "conditions": {%s}}`, i, rapid.SampledFrom([]string{"allow", "block", "ask"}).Draw(t, "action"), strings.Join(conditions, ", ")))
		}
		fallback := rapid.SampledFrom([]string{"allow", "block", "ask"}).Draw(t, "default")
		text := `{"rules": [` + strings.Join(rules, ",\n") + `], "default_action": "` + fallback + `"}`
		o := options()
		o.Open = true
		list, converted, err := convert.Ordered(convert.Source{Name: "list.json", Content: []byte(text)}, o)
		if err != nil {
			if strings.Contains(err.Error(), "no rule is left") {
				return
			}
			t.Fatalf("%v\n%s", err, text)
		}
		set, _, err := policy.Compile([]policy.File{{Name: "imported.yaml", Content: converted.File.YAML()}}, nil, policy.Options{Discovery: true})
		if err != nil {
			t.Fatalf("what was written does not load: %v\n%s", err, converted.File.YAML())
		}
		for range 20 {
			tool := rapid.SampledFrom(tools).Draw(t, "tool")
			var members []string
			for _, name := range []string{"p", "q", "odd name"} {
				if rapid.Bool().Draw(t, "has") {
					members = append(members, fmt.Sprintf("%q: %s", name, rapid.SampledFrom(values).Draw(t, "value")))
				}
			}
			arguments, err := canon.ParseObject([]byte("{"+strings.Join(members, ", ")+"}"), canon.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			want, rule := list.Decide(tool.Name(), arguments)
			got := set.Decide(tv.Request{Tool: tool, Arguments: arguments})
			if got.Verdict != want {
				t.Fatalf("%s %s: %s by %q, the list says %s by %q\n%s\n%s", tool.Name(), arguments.RawText(), got.Verdict, got.Rule, want, rule, text, converted.File.YAML())
			}
		}
	})
}

func ordered(t testing.TB, text string, o convert.Options) (*convert.List, convert.Converted) {
	t.Helper()
	list, c, err := convert.Ordered(convert.Source{Name: "list.json", Content: []byte(text)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return list, c
}

const accounts = `{
  "rules": [
    {"id": "keep-accounts", "action": "block", "reason": "Accounts stay", "conditions": {"tool_name": "close_account", "parameters": {"sure": "true"}}},
    {"id": "no-wipes", "action": "block", "conditions": {"tool_name": "run", "parameters": {"command_startswith": "shred -u"}}},
    {"id": "no-formats", "action": "block", "conditions": {"tool_name": "run", "parameters": {"command": "startswith:wipefs"}}},
    {"id": "reads", "action": "allow", "conditions": {"tool_name_in": ["get_account", "list_accounts"]}}
  ],
  "default_action": "block"
}`

func bank(t testing.TB) []*tv.Tool {
	t.Helper()
	return []*tv.Tool{
		newTool(t, tv.Definition{Name: "bank/close_account", InputSchema: []byte(`{"type": "object", "properties": {"sure": {"type": "boolean"}}}`)}),
		newTool(t, tv.Definition{Name: "bank/run", Roles: map[string]tv.Role{"/command": {Kind: "shell"}}, InputSchema: []byte(`{"type": "object", "properties": {"command": {"type": "string"}}}`)}),
		newTool(t, tv.Definition{Name: "bank/get_account"}),
		newTool(t, tv.Definition{Name: "bank/list_accounts"}),
	}
}

func TestWhatAReaderOfListsMustNotice(t *testing.T) {
	t.Parallel()
	o := options()
	_, c := ordered(t, accounts, o)
	var all strings.Builder
	for _, f := range c.Findings {
		all.WriteString(f.String() + "\n")
	}
	for _, part := range []string{
		`list.json:3:143: rule "keep-accounts" compares sure with a string: the argument may be a boolean: --fix compares it with the boolean true`,
		`prefixes are written in two ways`,
		`rule "no-wipes" stops a command by how it begins`,
		`rule "reads" allows the tool "get_account" of any server: name the server with --server`,
	} {
		if !strings.Contains(all.String(), part) {
			t.Errorf("%q is not among\n%s", part, all.String())
		}
	}
	if text := string(c.File.YAML()); !strings.Contains(text, "effects.any: {kind: [delete, opaque]}") && !strings.Contains(text, "effects.any: {kind: [delete, write, opaque]}") {
		t.Errorf("the effect that was meant is not suggested:\n%s", text)
	}
}

func TestAValueOfAnotherType(t *testing.T) {
	t.Parallel()
	call := `{"sure": true}`
	tools := bank(t)
	o := options()
	o.Tools = tools
	list, literal := ordered(t, accounts, o)
	if d := compile(t, literal, tools).Decide(tv.Request{Tool: tools[0], Arguments: parse(t, call)}); d.Verdict != tv.Deny || d.Rule != "" {
		t.Errorf("literally it is %s by %q, want the default's deny", d.Verdict, d.Rule)
	}
	if v, rule := list.Decide("bank/close_account", parse(t, call)); v != tv.Deny || rule != "" {
		t.Errorf("the list says %s by %q", v, rule)
	}
	if text := string(literal.File.YAML()); !strings.Contains(text, "# Rule keep-accounts (deny) is left out") {
		t.Errorf("nothing tells that the rule never matches:\n%s", text)
	}
	o.Fix = true
	list, fixed := ordered(t, accounts, o)
	if d := compile(t, fixed, tools).Decide(tv.Request{Tool: tools[0], Arguments: parse(t, call)}); d.Verdict != tv.Deny || d.Rule != "keep-accounts" {
		t.Errorf("with the fix it is %s by %q", d.Verdict, d.Rule)
	}
	if v, rule := list.Decide("bank/close_account", parse(t, call)); v != tv.Deny || rule != "keep-accounts" {
		t.Errorf("the list with the fix says %s by %q", v, rule)
	}
}

func TestATypeHasItsArticle(t *testing.T) {
	t.Parallel()
	o := options()
	o.Tools = []*tv.Tool{newTool(t, tv.Definition{Name: "bank/pay", InputSchema: []byte(`{"type": "object", "properties": {"n": {"type": "integer"}, "on": {"type": "boolean"}}}`)})}
	_, c := ordered(t, `{"rules": [{"id": "r", "action": "block", "conditions": {"tool_name": "pay", "parameters": {"n": "5", "on": "true"}}}, {"id": "s", "action": "block", "conditions": {"tool_name": "pay"}}], "default_action": "block"}`, o)
	for _, part := range []string{"with a string: the argument is an integer, so", "with a string: the argument is a boolean, so"} {
		if !slices.ContainsFunc(c.Findings, func(f convert.Finding) bool { return strings.Contains(f.String(), part) }) {
			t.Errorf("%q is not among %v", part, c.Findings)
		}
	}
}

func TestAnUnsafeDefaultIsNotKeptUnasked(t *testing.T) {
	t.Parallel()
	text := `{"rules": [{"id": "a", "action": "block", "conditions": {"tool_name": "x"}}], "default_action": "allow"}`
	_, c := ordered(t, text, options())
	if c.File.Default != tv.Deny || len(c.Findings) == 0 {
		t.Errorf("default %s, %d findings", c.File.Default, len(c.Findings))
	}
	o := options()
	o.Open = true
	if _, c = ordered(t, text, o); c.File.Default != tv.Allow {
		t.Errorf("asked for, it is %s", c.File.Default)
	}
}

func TestWhatHasNoEqualIsStricter(t *testing.T) {
	t.Parallel()
	text := `{"rules": [
		{"id": "a", "action": "allow", "conditions": {"tool_name": "s/x", "parameters": {"p": ["a"]}}},
		{"id": "b", "action": "ask", "conditions": {"tool_name": "s/x", "parameters": {"p": {"q": 1}, "r": 1}}},
		{"id": "c", "action": "block", "conditions": {"tool_name": "s/x", "parameters": {"r": 2}}},
		{"id": "d", "action": "allow", "conditions": {"tool_name": "s/x"}}]}`
	list, c := ordered(t, text, options())
	tool := newTool(t, tv.Definition{Name: "s/x"})
	set := compile(t, c, nil)
	for call, want := range map[string]tv.Verdict{`{"p": ["a"], "r": 2}`: tv.Deny, `{"p": ["a"]}`: tv.Allow, `{"p": {"q": 1}, "r": 1}`: tv.Ask, `{"r": 1}`: tv.Ask, `{"r": 3}`: tv.Allow} {
		d := set.Decide(tv.Request{Tool: tool, Arguments: parse(t, call)})
		theirs, _ := list.Decide("s/x", parse(t, call))
		if d.Verdict != want || d.Verdict > theirs {
			t.Errorf("%s: %s, want %s; the list says %s", call, d.Verdict, want, theirs)
		}
	}
}

func TestWhatIsNoListIsRefused(t *testing.T) {
	t.Parallel()
	rule := func(s string) string { return `{"rules": [` + s + `], "default_action": "block"}` }
	for name, c := range map[string]struct{ text, want string }{
		"not JSON":              {`{"rules": [`, "list.json:1:12: this is not strict JSON"},
		"a repeated key":        {`{"rules": [], "rules": []}`, "not strict JSON"},
		"no rules":              {`{"rules": []}`, "no rules"},
		"an unknown member":     {`{"rules": [{"id": "a", "action": "allow"}], "mode": "x"}`, `a member "mode"`},
		"an unknown condition":  {rule(`{"id": "a", "action": "allow", "conditions": {"user": "x"}}`), `a member "user"`},
		"an unknown action":     {rule(`{"id": "a", "action": "log"}`), "is not known"},
		"no action":             {rule(`{"id": "a"}`), "has no action"},
		"no id":                 {rule(`{"action": "allow"}`), "no plain id"},
		"an id twice":           {rule(`{"id": "a", "action": "allow"}, {"id": "a", "action": "allow"}`), "used twice"},
		"a pattern for a name":  {rule(`{"id": "a", "action": "block", "conditions": {"tool_name": "get_*"}}`), "no plain name"},
		"a name that is a list": {rule(`{"id": "a", "action": "block", "conditions": {"tool_name": ["x"]}}`), "no plain name"},
		"a prefix of a number":  {rule(`{"id": "a", "action": "block", "conditions": {"parameters": {"x_startswith": 1}}}`), "is number"},
		"nothing is left":       {rule(`{"id": "a", "action": "allow", "conditions": {"tool_name_in": []}}`), "no rule is left"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, made, err := convert.Ordered(convert.Source{Name: "list.json", Content: []byte(c.text)}, options())
			if err == nil {
				t.Fatalf("it was taken:\n%s", made.File.YAML())
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
