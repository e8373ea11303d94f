// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/toolverdict/toolverdict/internal/canon"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind canon.Kind
		name string
		len  int
	}{
		`null`: {canon.KindNull, "null", 0}, `true`: {canon.KindBool, "boolean", 0}, `1.5`: {canon.KindNumber, "number", 0},
		`"é\n"`: {canon.KindString, "string", 3}, `[1,[2,3]]`: {canon.KindArray, "array", 2},
		`{"a":{"b":1,"c":2},"d":[]}`: {canon.KindObject, "object", 2},
	}
	for in, c := range cases {
		v := parse(t, in)
		if v.Kind() != c.kind || v.Kind().String() != c.name || v.Len() != c.len || v.IsZero() {
			t.Errorf("%s: kind %s, len %d", in, v.Kind(), v.Len())
		}
	}
	if got := canon.Kind(200).String(); got != "absent" {
		t.Errorf("an unknown kind is called %q", got)
	}
	if size := unsafe.Sizeof(canon.Value{}); size > 64 {
		t.Errorf("a Value has %d bytes", size)
	}
}

// An accessor that does not fit the kind answers with a zero, and so does every
// accessor of an absent value.
func TestWrongKind(t *testing.T) {
	t.Parallel()
	values := []canon.Value{{}}
	for _, in := range []string{`null`, `true`, `12`, `"12"`, `[12]`, `{"0":12}`} {
		values = append(values, parse(t, in))
	}
	for _, v := range values {
		k := v.Kind()
		if v.Bool() != (k == canon.KindBool) {
			t.Errorf("%s: Bool", k)
		}
		if (v.Text() != "") != (k == canon.KindString) {
			t.Errorf("%s: Text", k)
		}
		if (v.Number().Sign() != 0) != (k == canon.KindNumber) {
			t.Errorf("%s: Number", k)
		}
		if (v.Elems() != nil) != (k == canon.KindArray) {
			t.Errorf("%s: Elems", k)
		}
		if (v.Members() != nil) != (k == canon.KindObject) {
			t.Errorf("%s: Members", k)
		}
		if _, ok := v.Get("0"); ok != (k == canon.KindObject) {
			t.Errorf("%s: Get", k)
		}
		if _, ok := v.Index(0); ok != (k == canon.KindArray) {
			t.Errorf("%s: Index", k)
		}
		for range v.Items() {
			if k != canon.KindArray {
				t.Errorf("%s: Items", k)
			}
		}
		for range v.Fields() {
			if k != canon.KindObject {
				t.Errorf("%s: Fields", k)
			}
		}
		if _, ok := v.Lookup(); ok == (k == canon.KindInvalid) {
			t.Errorf("%s: Lookup of nothing", k)
		}
	}
	var absent canon.Value
	start, end := absent.Span()
	if _, _, ok := absent.NameSpan(); start != 0 || end != 0 || ok || absent.Raw() != nil || absent.RawText() != "" ||
		absent.Document() != "" || absent.Kind().String() != "absent" || len(canon.Append(nil, absent)) != 0 || !absent.IsZero() {
		t.Error("an absent value has something")
	}
}

func TestFieldsAndItems(t *testing.T) {
	t.Parallel()
	v := parse(t, `{"b":[1,{"x":[]},"s"],"\u0061":{"y":null},"c":3}`)
	var got []string
	for name, m := range v.Fields() {
		got = append(got, name+"="+m.RawText())
	}
	b, _ := v.Get("b")
	for i, e := range b.Items() {
		got = append(got, fmt.Sprint(i)+"="+e.RawText())
	}
	for _, m := range v.Members() {
		got = append(got, m.Name+":"+m.Value.RawText())
	}
	for _, e := range b.Elems() {
		got = append(got, e.RawText())
	}
	for name := range v.Fields() { // stops where the caller does
		got = append(got, name)
		break
	}
	for i := range b.Items() {
		got = append(got, fmt.Sprint(i))
		break
	}
	want := []string{
		`b=[1,{"x":[]},"s"]`, `a={"y":null}`, `c=3`, `0=1`, `1={"x":[]}`, `2="s"`,
		`b:[1,{"x":[]},"s"]`, `a:{"y":null}`, `c:3`, `1`, `{"x":[]}`, `"s"`, `b`, `0`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// What the caller does with a slice changes nothing.
	v.Members()[0] = canon.Member{}
	b.Elems()[0] = canon.Null()
	if got := v.RawText(); got != string(v.Raw()) || b.Elems()[0].Number().Cmp(canon.IntNumber(1)) != 0 {
		t.Error("the value changed")
	}
}

func TestPointerAndLookup(t *testing.T) {
	t.Parallel()
	// The document of RFC 6901, section 5, and a little more.
	v := parse(t, `{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"x":{"0":"zero","-":"dash"},"~1":9}`)
	found := map[string]string{
		"": v.RawText(), "/foo": `["bar","baz"]`, "/foo/0": `"bar"`, "/foo/1": `"baz"`, "/": "0", "/a~1b": "1", "/c%d": "2",
		"/e^f": "3", "/g|h": "4", `/i\j`: "5", `/k"l`: "6", "/ ": "7", "/m~0n": "8", "/x/0": `"zero"`, "/x/-": `"dash"`, "/~01": "9",
	}
	for ptr, want := range found {
		if got, ok := v.Pointer(ptr); !ok || got.RawText() != want {
			t.Errorf("Pointer(%q) = %s, %t; want %s", ptr, got.RawText(), ok, want)
		}
	}
	for _, ptr := range []string{
		"foo", "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/-1", "/foo/1 ", "/foo/", "/foo/9999999999", "/foo/１",
		"/Foo", "/a/b", "/m~n", "/m~2n", "/~", "/m~", "/x/1", "/foo/0/0", "//", "#/foo", "/a~1b/",
	} {
		if got, ok := v.Pointer(ptr); ok {
			t.Errorf("Pointer(%q) found %s", ptr, got.RawText())
		}
	}
	for want, path := range map[string][]string{
		`"baz"`: {"foo", "1"}, "1": {"a/b"}, "8": {"m~n"}, "0": {""}, v.RawText(): {},
	} {
		if got, ok := v.Lookup(path...); !ok || got.RawText() != want {
			t.Errorf("Lookup(%q) = %s, %t", path, got.RawText(), ok)
		}
	}
	if _, ok := v.Lookup("foo", "1", "x"); ok {
		t.Error("Lookup went into a string")
	}
	if _, ok := (canon.Value{}).Pointer(""); ok {
		t.Error("an absent value has a root")
	}
	foo, _ := v.Get("foo")
	for _, i := range []int{-1, 2} {
		if _, ok := foo.Index(i); ok {
			t.Errorf("Index(%d) found something", i)
		}
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	src := ` { "a" : [ 1 , "\u00e9" ] , "b\n" : { } } `
	v := parse(t, src)
	a, _ := v.Get("a")
	b, _ := v.Get("b\n")
	e, _ := a.Index(1)
	for want, of := range map[string]canon.Value{
		`{ "a" : [ 1 , "\u00e9" ] , "b\n" : { } }`: v, `[ 1 , "\u00e9" ]`: a, `{ }`: b, `"\u00e9"`: e,
	} {
		start, end := of.Span()
		if src[start:end] != want || of.RawText() != want || string(of.Raw()) != want || of.Document() != src {
			t.Errorf("got %q, want %q", src[start:end], want)
		}
	}
	for want, of := range map[string]canon.Value{`"a"`: a, `"b\n"`: b} {
		start, end, ok := of.NameSpan()
		if !ok || src[start:end] != want {
			t.Errorf("name %q, want %q", src[start:end], want)
		}
	}
	for _, of := range []canon.Value{v, e} {
		if _, _, ok := of.NameSpan(); ok {
			t.Errorf("%s has a name", of.RawText())
		}
	}
}

// Objects on both sides of the size from which names are indexed.
func TestLargeObjects(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 15, 16, 17, 18, 100, 5000} {
		v := parse(t, manyKeys(n, func(i int) string { return fmt.Sprintf("k%d", i*7919%n) }))
		if v.Len() != n {
			t.Fatalf("%d members, want %d", v.Len(), n)
		}
		for i := range n {
			got, ok := v.Get(fmt.Sprintf("k%d", i*7919%n))
			if i, fits := got.Number().Int64(); !ok || !fits || i < 0 {
				t.Errorf("%d members: member %d not found", n, i)
			}
		}
		for _, name := range []string{"", "k", "K0", "k00", "j", "z", fmt.Sprint("k", n)} {
			if _, ok := v.Get(name); ok {
				t.Errorf("%d members: found %q", n, name)
			}
		}
		c, err := canon.Canonicalize(canon.Append(nil, v), canon.Limits{})
		if err != nil || string(c) != string(canon.Append(nil, v)) || !canon.Equal(v, parse(t, string(c))) {
			t.Errorf("%d members: canonical form is not stable: %v", n, err)
		}
	}
}

func manyKeys(n int, key func(int) string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%s":%d`, key(i), i)
	}
	b.WriteByte('}')
	return b.String()
}

// A clash is found wherever in a large object it stands, and whichever way the
// names are spelled.
func TestClashesInLargeObjects(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 15, 16, 17, 18, 40} {
		for at := range n {
			for spelling, want := range map[string]canon.Reason{
				"k1x": canon.ReasonDuplicateKey, `k\u0031x`: canon.ReasonDuplicateKey, "K1X": canon.ReasonFoldedKey,
				"ｋ1x": canon.ReasonFoldedKey, `\u212a1\u200bx`: canon.ReasonFoldedKey,
			} {
				first := (at + 1) % n
				in := manyKeys(n, func(i int) string {
					switch i {
					case at:
						return spelling
					case first:
						return "k1x"
					}
					return fmt.Sprintf("k%dy", i)
				})
				_, err := canon.Parse([]byte(in), canon.Limits{})
				got, ok := errors.AsType[*canon.SyntaxError](err)
				if !ok || got.Reason != want {
					t.Fatalf("%d members, %q at %d: %v, want %q", n, spelling, at, err, want)
				}
				_, err = canon.Parse([]byte(in), canon.Limits{AllowFoldedSiblings: true})
				if (err == nil) != (want == canon.ReasonFoldedKey) {
					t.Fatalf("%d members, %q at %d, folding allowed: %v", n, spelling, at, err)
				}
			}
		}
	}
}

func TestConcurrentReads(t *testing.T) {
	t.Parallel()
	v := parse(t, manyKeys(40, func(i int) string { return fmt.Sprintf("é%d", i) }))
	want := canon.Digest(v)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 40 {
				if _, ok := v.Get(fmt.Sprintf("é%d", i)); !ok || canon.Digest(v) != want || canon.Fold("É") != canon.Fold("é") {
					t.Error("a concurrent read differs")
				}
			}
		})
	}
	wg.Wait()
}
