// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package jsontext_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict/hookgate/setup/internal/jsontext"
)

func parse(t *testing.T, src string) *jsontext.Node {
	t.Helper()
	n, err := jsontext.Parse(src, true)
	if err != nil {
		t.Fatalf("%v: %q", err, src)
	}
	return n
}

// TestComments: what people wrote beside a value stays beside it.
func TestComments(t *testing.T) {
	t.Parallel()
	src := "{\n  \"list\": [\n    1, // one\n    2 /* two */ // still\n    // the end\n  ]\n}"
	root := parse(t, src)
	style := jsontext.StyleOf(src, root)
	added := style.AppendItem(src, root.Get("list"), 1, "3")
	want := "{\n  \"list\": [\n    1, // one\n    2, /* two */\n    3 // still\n    // the end\n  ]\n}"
	if added != want {
		t.Errorf("%s", added)
	}
	root = parse(t, added)
	if got := jsontext.RemoveItem(added, root.Get("list"), 2); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(src, " ", "") {
		t.Errorf("%s", got)
	}
	if got := jsontext.RemoveItem(src, parse(t, src).Get("list"), 0); !strings.Contains(got, "// one") || strings.Contains(got, "1,") {
		t.Errorf("%s", got)
	}
	if got := jsontext.RemoveMember(src, parse(t, src), "list"); got != "{}" {
		t.Errorf("%s", got)
	}
	if got := jsontext.RemoveMember(src, parse(t, src), "other"); got != src {
		t.Errorf("%s", got)
	}
	empty := "{ // nothing yet\n}"
	if got := style.AppendMember(empty, parse(t, empty), 0, "a", "1"); got != "{ // nothing yet\n  \"a\": 1\n}" {
		t.Errorf("%q", got)
	}
	for _, src := range []string{"{ /* open", "{}/", "{} /* x"} {
		if _, err := jsontext.Parse(src, true); err == nil {
			t.Errorf("%q is taken", src)
		}
	}
}

// FuzzEdit: what is no JSON is refused, and what is put into a text can be taken out
// of it again, and leaves what it said.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\u0041"}],"hooks":{}}`, "{\r\n\t\"a\" : 1e5\r\n}", `{"a":1,"a":2}`, "{}", `[]`, "{ // x\n}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		root, err := jsontext.Parse(src, false)
		if err != nil {
			if json.Valid([]byte(src)) && utf8.ValidString(src) && !strings.Contains(err.Error(), "named twice") && !strings.Contains(err.Error(), "too deep") {
				t.Fatalf("%v: %q", err, src)
			}
			return
		}
		if !json.Valid([]byte(src)) {
			t.Fatalf("%q is taken", src)
		}
		if root.Kind != jsontext.Object || root.Get("zz") != nil {
			return
		}
		style := jsontext.StyleOf(src, root)
		with := style.AppendMember(src, root, 0, "zz", "[]")
		root = again(t, with)
		with = style.AppendItem(with, root.Get("zz"), 1, `{"x":1}`)
		root = again(t, with)
		with = jsontext.RemoveItem(with, root.Get("zz"), 0)
		root = again(t, with)
		without := jsontext.RemoveMember(with, root, "zz")
		again(t, without)
		var before, after any
		if json.Unmarshal([]byte(src), &before) != nil || json.Unmarshal([]byte(without), &after) != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("%q became %q", src, without)
		}
	})
}

func again(t *testing.T, src string) *jsontext.Node {
	t.Helper()
	n, err := jsontext.Parse(src, false)
	if err != nil || !json.Valid([]byte(src)) {
		t.Fatalf("it is no JSON any more: %v: %q", err, src)
	}
	return n
}
