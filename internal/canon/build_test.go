// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/toolverdict/toolverdict/internal/canon"
)

func TestBuild(t *testing.T) {
	t.Parallel()
	inner := parse(t, `{"z":[ 1.50 ]}`)
	z, _ := inner.Get("z")
	cases := map[string]canon.Value{
		`null`: canon.Null(), `true`: canon.Bool(true), `false`: canon.Bool(false),
		`-9223372036854775808`: canon.Int(math.MinInt64), `0`: canon.Int(0), `100`: canon.Int(100),
		`0.1`: number(t, "1e-1").Value(), `"é\n\u0000"`: canon.String("é\n\x00"), `""`: canon.String(""),
		`[]`: canon.Array(), `{}`: canon.Object(),
		`[[1.5],{"z":[1.5]},"x"]`: canon.Array(z, inner, canon.String("x")),
		`{"":null,"A":2,"a":1,"q\"":[1.5]}`: canon.Object(
			canon.Member{Name: "a", Value: canon.Int(1)}, canon.Member{Name: "A", Value: canon.Int(2)},
			canon.Member{Name: "", Value: canon.Null()}, canon.Member{Name: `q"`, Value: z},
		),
	}
	for want, v := range cases {
		if got := string(canon.Append(nil, v)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		start, end := v.Span()
		if v.Document()[start:end] != v.RawText() {
			t.Errorf("%s: the span does not lead to the text", want)
		}
	}
}

// What cannot be built is absent, and so is what would hold it.
func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	deep := canon.Int(1)
	for range 20 {
		deep = canon.Array(deep)
	}
	tooDeep, err := canon.Parse([]byte(strings.Repeat("[", canon.HardMaxDepth)+strings.Repeat("]", canon.HardMaxDepth)), canon.Limits{MaxDepth: canon.HardMaxDepth})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]canon.Value{
		"text that is not UTF-8": canon.String("a\xff"),
		"absent element":         canon.Array(canon.Null(), canon.Value{}),
		"absent alone":           canon.Array(canon.Value{}),
		"absent member":          canon.Object(canon.Member{Name: "a"}),
		"duplicate members":      canon.Object(canon.Member{Name: "a", Value: canon.Null()}, canon.Member{Name: "a", Value: canon.Null()}),
		"name not UTF-8":         canon.Object(canon.Member{Name: "\xff", Value: canon.Null()}),
		"too deep":               canon.Array(tooDeep),
	}
	for name, v := range cases {
		if !v.IsZero() {
			t.Errorf("%s: got %s", name, v.RawText())
		}
	}
	if deep.IsZero() {
		t.Error("20 levels are absent")
	}
}

type label string

func TestFromGo(t *testing.T) {
	t.Parallel()
	seven, none := 7, (*int)(nil)
	var anything any = "x"
	cases := map[string]any{
		`null`: nil, `true`: true, `"x"`: "x", `-1`: int8(-1), `18446744073709551615`: uint64(math.MaxUint64),
		`0.1`: 0.1, `0.10000000149011612`: float64(float32(0.1)), `1e+300`: 1e300, `0`: 0.0, `3`: float32(3),
		`9007199254740993`: json.Number("9007199254740993"), `7`: &seven, `[null]`: []*int{none},
		`["a","b"]`: []string{"a", "b"}, `[1,[2]]`: []any{1, []int{2}}, `[1,2]`: [2]int{1, 2},
		`{"a":1,"b":{"c":[true,null]}}`: map[string]any{"b": map[string]any{"c": []any{true, nil}}, "a": 1},
		`{"k":"v"}`:                     map[label]label{"k": "v"},
		`{"A":1,"a":1,"é":2}`:           map[string]int{"é": 2, "a": 1, "A": 1},
		`[1.5,{"x":"y"}]`:               []any{number(t, "1.50"), canon.Object(canon.Member{Name: "x", Value: canon.String("y")})},
		`"\u0000\""`:                    "\x00\"",
		`["x"]`:                         []*any{&anything},
		`60000000000`:                   time.Minute, // a Duration is a number of nanoseconds, as for encoding/json
		`[]`:                            []any{},
		`{}`:                            map[string]any{},
		`[null,null]`:                   []any{[]string(nil), map[string]int(nil)},
	}
	for want, in := range cases {
		v, err := canon.FromGo(in)
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if got := string(canon.Append(nil, v)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestFromGoRefuses(t *testing.T) {
	t.Parallel()
	loop := []any{nil}
	loop[0] = loop
	cases := map[string]struct {
		in   any
		want string
	}{
		"NaN":              {math.NaN(), "convert to JSON: a number that is not finite has no JSON form"},
		"infinity":         {[]any{1, math.Inf(-1)}, "convert to JSON: /1: a number that is not finite has no JSON form"},
		"negative zero":    {math.Copysign(0, -1), "convert to JSON: parse JSON: line 1, column 1: negative zero: negative zero is read differently by different programs: write 0"},
		"bad number":       {json.Number("0x10"), "convert to JSON: parse JSON: line 1, column 2: invalid number: this is not a JSON number: write digits, without a plus sign, leading zeros or a bare point"},
		"no number":        {json.Number(""), "convert to JSON: parse JSON: line 1, column 1: unexpected end: the JSON stops before it is complete: send all of it"},
		"text":             {map[string]any{"a": []any{"ok", "hunter2\xff"}}, `convert to JSON: /a/1: text that is not UTF-8 has no JSON form`},
		"key":              {map[string]any{"\xff": 1}, "convert to JSON: text that is not UTF-8 has no JSON form"},
		"numbers as keys":  {map[int]string{1: "hunter2"}, "convert to JSON: a Go map[int]string has keys that are not strings: quote them"},
		"anything as keys": {map[any]any{"a": 1}, "convert to JSON: a Go map[interface {}]interface {} has keys that are not strings: quote them"},
		"bytes":            {[]byte("hunter2"), "convert to JSON: a Go []uint8 could mean text or numbers: convert it to a string first"},
		"struct":           {time.Time{}, "convert to JSON: a Go time.Time has no JSON form here: convert it to a string or a number first"},
		"function":         {TestFromGo, "convert to JSON: a Go func(*testing.T) has no JSON form here: convert it to a string or a number first"},
		"complex":          {1i, "convert to JSON: a Go complex128 has no JSON form here: convert it to a string or a number first"},
		"absent":           {[]any{canon.Value{}}, "convert to JSON: /0: an absent value has no JSON form"},
		"channel in map":   {map[string]any{"c": make(chan int)}, `convert to JSON: /c: a Go chan int has no JSON form here: convert it to a string or a number first`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := canon.FromGo(c.in)
			if err == nil || !v.IsZero() {
				t.Fatalf("accepted: %s", v.RawText())
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if _, err := canon.FromGo(loop); err == nil || !strings.Contains(err.Error(), "contain itself") || len(err.Error()) > 500 {
		t.Errorf("a slice that holds itself: %.500v", err)
	}
	deep, err := canon.Parse([]byte(strings.Repeat("[", canon.HardMaxDepth)+strings.Repeat("]", canon.HardMaxDepth)), canon.Limits{MaxDepth: canon.HardMaxDepth})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := canon.FromGo([]any{deep}); err == nil {
		t.Error("accepted a value that nests deeper than the hard limit")
	}
}

func TestGo(t *testing.T) {
	t.Parallel()
	v := parse(t, `{"n":null,"b":true,"i":9007199254740993,"f":1.50,"s":"é\n","a":[1,[]],"o":{}}`)
	want := map[string]any{
		"n": nil, "b": true, "i": json.Number("9007199254740993"), "f": json.Number("1.5"), "s": "é\n",
		"a": []any{json.Number("1"), []any{}}, "o": map[string]any{},
	}
	if diff := cmp.Diff(any(want), v.Go()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if (canon.Value{}).Go() != nil {
		t.Error("an absent value is something")
	}
	again, err := canon.FromGo(v.Go())
	if err != nil || !canon.Equal(v, again) {
		t.Errorf("there and back: %s, %v", again.RawText(), err)
	}
}
