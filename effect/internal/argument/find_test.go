// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package argument_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolverdict/toolverdict/effect/internal/argument"
	"github.com/toolverdict/toolverdict/internal/canon"
)

func TestFind(t *testing.T) {
	t.Parallel()
	v, err := canon.Parse([]byte(`{"a":[{"b":1},{"b":2},{"c":3}],"none":[],"o":{"x/y":{"b":4}},"t":"text"}`), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pointer string
		most    int
		want    []string
		missing string
		cut     bool
	}{
		{"/a/0/b", 9, []string{"/a/0/b=1"}, "", false},
		{"/a/*/b", 9, []string{"/a/0/b=1", "/a/1/b=2"}, "/a/2/b", false},
		{"/a/*/b", 1, []string{"/a/0/b=1"}, "", true},
		{"/a/*/c", 2, nil, "/a/0/c", true},
		{"/o/*/b", 9, []string{"/o/x~1y/b=4"}, "", false},
		{"/none/*", 9, nil, "", false},
		{"/none/*/b", 9, nil, "", false},
		{"/gone/*", 9, nil, "/gone", false},
		{"/t/*", 9, nil, "/t/*", false},
		{"/gone", 9, nil, "/gone", false},
		{"/*", 2, []string{`/a=[{"b":1},{"b":2},{"c":3}]`, "/none=[]"}, "", true},
	} {
		f := argument.Find(v, c.pointer, c.most)
		var got []string
		for _, f := range f.Found {
			got = append(got, f.Pointer+"="+f.Value.RawText())
		}
		if diff := cmp.Diff(c.want, got); diff != "" || f.Missing != c.missing || f.Cut != c.cut {
			t.Errorf("%s, at most %d: misses %q, cut %v\n%s", c.pointer, c.most, f.Missing, f.Cut, diff)
		}
	}
	if text, ok := argument.Text(v, "/t"); text != "text" || !ok {
		t.Errorf("text at /t: %q, %v", text, ok)
	}
	for _, at := range []string{"/a", "/a/0/b", "/gone"} {
		if text, ok := argument.Text(v, at); ok {
			t.Errorf("text at %s: %q", at, text)
		}
	}
	if text, ok := argument.Text(argument.Default("a\nb"), ""); text != "a\nb" || !ok {
		t.Errorf("a declared text: %q, %v", text, ok)
	}
}
