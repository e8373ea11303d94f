// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package effects_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/effects"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// TestEveryField: what effects have, rules can test, but for what is there for
// people, belongs to a path, or binds an approval to a file's content.
func TestEveryField(t *testing.T) {
	t.Parallel()
	var want []string
	add := func(prefix string, of reflect.Type) {
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name = prefix + name; !slices.Contains([]string{"detail", "pattern", "folded", "query", "sha256"}, name) {
				want = append(want, name)
			}
		}
	}
	add("", reflect.TypeFor[toolverdict.Effect]())
	add("query.", reflect.TypeFor[toolverdict.Query]())
	got := syntax.EffectFields()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rules and effects differ in their fields: %s", diff)
	}
}

// full is an effect of a kind with every field of every kind set.
func full(k toolverdict.EffectKind) toolverdict.Effect {
	return toolverdict.Effect{
		Kind: k, Source: "/a", Path: "/a", Names: true, Program: "a", Argv: []string{"a"}, Verb: "a", Known: true,
		Host: "a", IP: "10.0.0.1", Port: 1, Scheme: "a", Network: "public", Recipient: "a@a", Domain: "a", Field: "to", Amount: "1", Currency: "EUR",
		Query: &toolverdict.Query{Statement: 1, Verb: "a", Reads: []string{"a"}, Changes: []string{"a"}, Columns: []string{"a"}, Functions: []string{"a"}, Limit: 1},
	}
}

// TestRead: every field is read where it is set and not known where it is not,
// and each belongs to a kind.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, name := range syntax.EffectFields() {
		f, ok := effects.Named(name)
		if !ok {
			t.Fatal(name)
		}
		owners := 0
		for _, k := range effects.Kinds() {
			if !effects.Has(k, f) {
				continue
			}
			owners++
			var v predicate.Value
			one, none := full(k), toolverdict.Effect{Kind: k}
			if f.Read(&one, &v); v.Kind == predicate.Absent || v.Kind == predicate.Odd {
				t.Errorf("%s of a %s is not read", name, k)
			}
			f.Read(&none, &v)
			if known := v.Kind != predicate.Absent; known != (name == "kind" || name == "known" || name == "names") {
				t.Errorf("%s of a %s of which nothing is known: %d", name, k, v.Kind)
			}
		}
		if owners == 0 {
			t.Errorf("no effect has %s", name)
		}
		for _, k := range []toolverdict.EffectKind{toolverdict.EffectOpaque, "later", ""} {
			var v predicate.Value
			e := full(k)
			f.Read(&e, &v)
			want := map[string]predicate.Kind{"kind": predicate.Opaque, "source": predicate.Text}[name]
			if want == predicate.Absent {
				want = predicate.Odd
			}
			if v.Kind != want || !effects.Has(k, f) {
				t.Errorf("%s of what is not understood (%q): %d", name, k, v.Kind)
			}
		}
	}
	if _, ok := effects.Named("detail"); ok {
		t.Error("detail is for people")
	}
	for _, k := range syntax.EffectKinds() {
		if (k != toolverdict.EffectOpaque) != slices.Contains(effects.Kinds(), k) {
			t.Errorf("the two lists of kinds differ in %s", k)
		}
	}
}

// TestYields: a role that is not known here may lead to anything.
func TestYields(t *testing.T) {
	t.Parallel()
	for role, want := range map[toolverdict.RoleKind]int{"path": 4, "url": 2, "email": 1, "money": 1, "header": 0, "sql": 6, "shell": 8, "code": 8, "hologram": 8, "": 8} {
		if got := effects.Yields(toolverdict.Role{Kind: role}); len(got) != want {
			t.Errorf("%q: %v", role, got)
		}
	}
}
