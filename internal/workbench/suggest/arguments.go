// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package suggest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/workbench/draft"
)

// argument is what was seen of one argument.
type argument struct {
	name    string
	present int
	values  []canon.Value // elements, where it was a list
	lists   int
	empty   int // empty lists
	deep    bool
}

// bounded is a rule that bounds each argument and effect. It is not ok where one
// of them cannot be bounded.
func (w *writer) bounded(list []*seen) (draft.Rule, bool) {
	list = slices.DeleteFunc(slices.Clone(list), func(s *seen) bool { return len(s.Hidden) > 0 && !s.onlyRoles() })
	if len(list) == 0 {
		return draft.Rule{}, false
	}
	rule := w.rule(list, "")
	rule.Comments = []string{fmt.Sprintf("%s of %s.", howMany(len(list)), list[0].tool.Name())}
	roles := rolesOf(list[0].tool)
	if hasRoles(list[0].tool) {
		list = slices.DeleteFunc(slices.Clone(list), func(s *seen) bool { return !s.clear() })
		cond, notes, ok := effectBounds(list)
		if !ok {
			return rule, false
		}
		rule.When, rule.Comments = draft.Both(rule.When, cond), append(rule.Comments, notes...)
	}
	args := arguments(list)
	names := slices.Sorted(maps.Keys(args))
	for _, name := range names {
		if roles[name] {
			continue // what it does is bounded
		}
		a := args[name]
		if a.deep {
			return rule, false
		}
		cond, note := a.bound(len(list))
		rule.When, rule.Comments = draft.Both(rule.When, cond), append(rule.Comments, note)
	}
	rule.When = draft.Both(rule.When, closed(list[0].tool, names))
	return rule, true
}

// rolesOf are the arguments of a tool that have roles themselves. Of an object
// with a role somewhere in it, that role bounds one member and not the others.
func rolesOf(t *tv.Tool) map[string]bool {
	out := map[string]bool{}
	for at := range t.Roles() {
		if name, inside := argumentAt(at); !inside {
			out[name] = true
		}
	}
	return out
}

// argumentAt is the argument that a JSON pointer leads to, or into.
func argumentAt(pointer string) (name string, inside bool) {
	name, _, inside = strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	return strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~"), inside
}

// hasRoles reports whether what a call of the tool does can be told.
func hasRoles(t *tv.Tool) bool {
	for range t.Roles() {
		return true
	}
	return false
}

// onlyRoles reports whether everything hidden is in arguments that are bounded
// by what they do, and that is known.
func (s *seen) onlyRoles() bool {
	roles := rolesOf(s.tool)
	return s.told && !slices.ContainsFunc(s.Hidden, func(at string) bool {
		name, _ := argumentAt(at)
		return !roles[name]
	})
}

// arguments collects what was seen of each argument.
func arguments(list []*seen) map[string]*argument {
	out := map[string]*argument{}
	for _, s := range list {
		for name, v := range s.Arguments.Fields() {
			a := out[name]
			if a == nil {
				a = &argument{name: name}
				out[name] = a
			}
			a.present++
			if v.Kind() != canon.KindArray {
				a.add(v)
				continue
			}
			a.lists++
			if v.Len() == 0 {
				a.empty++
			}
			for _, e := range v.Items() {
				a.add(e)
			}
		}
	}
	return out
}

func (a *argument) add(v canon.Value) {
	a.deep = a.deep || v.Kind() == canon.KindObject || v.Kind() == canon.KindArray
	a.values = append(a.values, v)
}

// bound is a condition that every call with the argument satisfies, and what it
// says in words.
func (a *argument) bound(all int) (draft.Map, string) {
	field := draft.Argument(a.name)
	tests, note := bound(a.values)
	var ways []draft.Map
	for _, test := range tests {
		if a.lists > 0 {
			test = draft.One("every", test)
		}
		ways = append(ways, draft.One(field, test))
	}
	if a.lists > 0 {
		note = "a list, each of it " + note
	}
	if a.empty > 0 {
		ways = append(ways, draft.One(field, draft.Map{{Key: "type", Value: "array"}, {Key: "length", Value: draft.Number("0")}}))
		note += fmt.Sprintf("; empty %s", times(a.empty))
	}
	if a.present < all {
		ways = append(ways, draft.One(field, draft.One("exists", false)))
		note += fmt.Sprintf("; left out %s", times(all-a.present))
	}
	return draft.Either(ways...), "  " + a.name + ": " + note
}

// closed keeps arguments away that were never seen: a call with one of them is
// another kind of call.
func closed(t *tv.Tool, names []string) draft.Map {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Additional json.RawMessage            `json:"additionalProperties"`
	}
	if json.Unmarshal(t.Definition().InputSchema, &s) == nil && string(s.Additional) == "false" {
		var out []draft.Map
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if !slices.Contains(names, name) {
				out = append(out, draft.One(draft.Argument(name), draft.One("exists", false)))
			}
		}
		return draft.Both(out...)
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = string(canon.Quote(n))
	}
	return draft.One("cel", "size(args) == 0 || args.all(name, name in ["+strings.Join(quoted, ", ")+"])")
}

// exact is a rule with the very calls: their arguments, and no others.
func (w *writer) exact(list []*seen) (draft.Rule, bool) {
	rule := w.rule(list, "-exact")
	var ways []draft.Map
	known := map[string]bool{}
	for _, s := range list {
		if len(s.Hidden) > 0 {
			return rule, false
		}
		text := string(canon.Append(nil, s.Arguments))
		if known[text] {
			continue
		}
		known[text] = true
		cond, ok := same(s)
		if !ok || len(known) > maxCalls || len(text) > maxText {
			return rule, false
		}
		ways = append(ways, cond)
	}
	rule.When = draft.Either(ways...)
	rule.Comments = []string{ofWays(len(ways), list[0].tool.Name())}
	return rule, true
}

func howMany(n int) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}

func ofWays(n int, tool string) string {
	if n == 1 {
		return fmt.Sprintf("1 call of %s, word for word: what it does has no other bound.", tool)
	}
	return fmt.Sprintf("%d different calls of %s, word for word: what they do has no other bound.", n, tool)
}

// same is a condition for one call's arguments.
func same(s *seen) (draft.Map, bool) {
	var parts []draft.Map
	var names []string
	for name, v := range s.Arguments.Fields() {
		if v.Kind() == canon.KindArray || v.Kind() == canon.KindObject {
			return nil, false
		}
		names = append(names, name)
		parts = append(parts, draft.One(draft.Argument(name), draft.One("type", v.Kind().String())))
		if v.Kind() != canon.KindNull {
			parts[len(parts)-1] = draft.One(draft.Argument(name), draft.Map{{Key: "type", Value: v.Kind().String()}, {Key: "eq", Value: draft.Value(v)}})
		}
	}
	return draft.Both(append(parts, closed(s.tool, names))...), true
}
