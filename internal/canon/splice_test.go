// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolverdict/toolverdict/internal/canon"
	"pgregory.net/rapid"
)

func TestSplice(t *testing.T) {
	t.Parallel()
	edit := func(start, end int, with string) canon.Edit {
		return canon.Edit{Start: start, End: end, With: []byte(with)}
	}
	cases := map[string]struct {
		edits []canon.Edit
		want  string
	}{
		"none":            {nil, "0123456789"},
		"replace":         {[]canon.Edit{edit(2, 4, "xyz")}, "01xyz456789"},
		"delete":          {[]canon.Edit{edit(0, 9, "")}, "9"},
		"insert at start": {[]canon.Edit{edit(0, 0, "x")}, "x0123456789"},
		"insert at end":   {[]canon.Edit{edit(10, 10, "x")}, "0123456789x"},
		"in any order":    {[]canon.Edit{edit(8, 9, "c"), edit(0, 1, "a"), edit(4, 6, "b")}, "a123b67c9"},
		"side by side":    {[]canon.Edit{edit(4, 6, "b"), edit(2, 4, "a")}, "01ab6789"},
		"same place":      {[]canon.Edit{edit(3, 3, "a"), edit(3, 3, "b")}, "012ab3456789"},
		"insert before":   {[]canon.Edit{edit(3, 5, "b"), edit(3, 3, "a")}, "012ab56789"},
		"all":             {[]canon.Edit{edit(0, 10, "")}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := []byte("0123456789")
			got, err := canon.Splice(src, c.edits...)
			if err != nil || string(got) != c.want || string(src) != "0123456789" {
				t.Errorf("got %q, %v; want %q; src %q", got, err, c.want, src)
			}
		})
	}
}

// Many edits at one place keep their order, and the caller's slice stays as it
// was.
func TestSpliceKeepsOrder(t *testing.T) {
	t.Parallel()
	edits, want := []canon.Edit{}, [2]string{}
	for i := range 60 {
		at := (i + 1) % 2
		edits = append(edits, canon.Edit{Start: at, End: at, With: []byte{byte('A' + i/2)}})
		want[at] += string(rune('A' + i/2))
	}
	got, err := canon.Splice([]byte("_"), edits...)
	if err != nil || string(got) != want[0]+"_"+want[1] {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if edits[0].Start != 1 || edits[1].Start != 0 {
		t.Error("the edits changed")
	}
}

func TestSpliceRefuses(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		edits []canon.Edit
		want  string
	}{
		"before":    {[]canon.Edit{{Start: -1, End: 1}}, "splice: edit of bytes -1 to 1 is outside the 4 bytes of the text"},
		"after":     {[]canon.Edit{{Start: 3, End: 5}}, "splice: edit of bytes 3 to 5 is outside the 4 bytes of the text"},
		"backwards": {[]canon.Edit{{Start: 3, End: 2}}, "splice: edit of bytes 3 to 2 is outside the 4 bytes of the text"},
		"overlap":   {[]canon.Edit{{Start: 2, End: 4}, {Start: 0, End: 3}}, "splice: edit of bytes 2 to 4 overlaps one that ends at 3"},
		"twice":     {[]canon.Edit{{Start: 1, End: 2}, {Start: 1, End: 2}}, "splice: edit of bytes 1 to 2 overlaps one that ends at 2"},
		"inside":    {[]canon.Edit{{Start: 2, End: 2}, {Start: 1, End: 3}}, "splice: edit of bytes 2 to 2 overlaps one that ends at 3"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := canon.Splice([]byte("0123"), c.edits...)
			if err == nil || got != nil {
				t.Fatalf("accepted: %q", got)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestMemberEdits(t *testing.T) {
	t.Parallel()
	const src = ` { "a" : 1 , "b":[ 2 ],"c" : {} } `
	v := parse(t, src)
	get := func(name string) canon.Value { m, _ := v.Get(name); return m }
	set := func(of canon.Value, name, with string) []canon.Edit {
		e, ok := canon.SetMember(of, name, []byte(with))
		if !ok {
			t.Fatalf("SetMember %q: no object", name)
		}
		return []canon.Edit{e}
	}
	remove := func(of canon.Value, name string) []canon.Edit {
		e, ok := canon.RemoveMember(of, name)
		if !ok {
			t.Fatalf("RemoveMember %q: not found", name)
		}
		return []canon.Edit{e}
	}
	cases := map[string]struct {
		edits []canon.Edit
		want  string
	}{
		"replace":        {[]canon.Edit{canon.Replace(get("b"), []byte("null"))}, ` { "a" : 1 , "b":null,"c" : {} } `},
		"set":            {set(v, "a", `"x"`), ` { "a" : "x" , "b":[ 2 ],"c" : {} } `},
		"add":            {set(v, "d\"\n", `3`), ` { "a" : 1 , "b":[ 2 ],"c" : {} ,"d\"\n":3} `},
		"add to empty":   {set(get("c"), "x", `1`), ` { "a" : 1 , "b":[ 2 ],"c" : {"x":1} } `},
		"remove first":   {remove(v, "a"), ` { "b":[ 2 ],"c" : {} } `},
		"remove middle":  {remove(v, "b"), ` { "a" : 1 , "c" : {} } `},
		"remove last":    {remove(v, "c"), ` { "a" : 1 , "b":[ 2 ] } `},
		"several":        {append(append(remove(v, "a"), set(get("c"), "x", `1`)...), set(v, "d", `2`)...), ` { "b":[ 2 ],"c" : {"x":1} ,"d":2} `},
		"two new":        {append(set(v, "d", `1`), set(v, "e", `2`)...), ` { "a" : 1 , "b":[ 2 ],"c" : {} ,"d":1,"e":2} `},
		"replace a name": {[]canon.Edit{nameEdit(get("b"), `"z"`)}, ` { "a" : 1 , "z":[ 2 ],"c" : {} } `},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := canon.Splice([]byte(src), c.edits...)
			if err != nil || string(got) != c.want {
				t.Fatalf("got  %s, %v\nwant %s", got, err, c.want)
			}
			parse(t, string(got))
		})
	}
	only := parse(t, `{ "a" : 1 }`)
	if got, err := canon.Splice([]byte(only.Document()), remove(only, "a")...); err != nil || string(got) != `{  }` {
		t.Errorf("the only member: %s, %v", got, err)
	}
	if _, ok := canon.SetMember(get("b"), "x", nil); ok {
		t.Error("set a member of an array")
	}
	for _, of := range []canon.Value{v, get("a"), {}} {
		if _, ok := canon.RemoveMember(of, "x"); ok {
			t.Error("removed what is not there")
		}
	}
}

func nameEdit(v canon.Value, with string) canon.Edit {
	start, end, _ := v.NameSpan()
	return canon.Edit{Start: start, End: end, With: []byte(with)}
}

// Whatever is replaced, everything around it stays byte for byte.
func TestSpliceTouchesOnlyTheEdit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := document().Draw(t, "document")
		with := document().Draw(t, "with")
		v := descend(t, parse(t, src))
		start, end := v.Span()
		got, err := canon.Splice([]byte(src), canon.Replace(v, []byte(with)))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != src[:start]+with+src[end:] {
			t.Fatalf("%s at %d to %d in %s: got %s", with, start, end, src, got)
		}
		back, err := canon.Splice(got, canon.Edit{Start: start, End: start + len(with), With: v.Raw()})
		if err != nil || string(back) != src {
			t.Fatalf("there and back: %s, %v", back, err)
		}
	})
}

// descend picks some value at or below v.
func descend(t *rapid.T, v canon.Value) canon.Value {
	for {
		below := v.Elems()
		for _, m := range v.Members() {
			below = append(below, m.Value)
		}
		i := rapid.IntRange(-1, len(below)-1).Draw(t, "step")
		if i < 0 {
			return v
		}
		v = below[i]
	}
}
