// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package strictyaml_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

type file struct {
	strictyaml.Placed
	Name  string            `yaml:"name"`
	Count int               `yaml:"count"`
	On    bool              `yaml:"on"`
	Wait  time.Duration     `yaml:"wait"`
	Words []string          `yaml:"words"`
	Parts map[string]part   `yaml:"parts"`
	Raw   json.RawMessage   `yaml:"raw"`
	Set   map[string]string `yaml:"set"`
}

type part struct {
	Size *int `yaml:"size"`
}

func TestDecodeReadsEveryKindOfValue(t *testing.T) {
	t.Parallel()
	var got file
	err := strictyaml.Decode("a.yaml", []byte(`
name: n
count: 3
"on": true
wait: 1m30s
words: [a, "2"]
parts: {x: {size: 7}}
raw: {a: [1, 9007199254740993, null, "t"]}
set: {k: v}
`), &got)
	if err != nil {
		t.Fatal(err)
	}
	seven := 7
	want := file{
		Placed: strictyaml.Placed{File: "a.yaml", Line: 2, Column: 1},
		Name:   "n", Count: 3, On: true, Wait: 90 * time.Second, Words: []string{"a", "2"},
		Parts: map[string]part{"x": {Size: &seven}}, Raw: json.RawMessage(`{"a":[1,9007199254740993,null,"t"]}`),
		Set: map[string]string{"k": "v"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeRefusesWithPlaceAndHint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"unknown key":        {"nmae: x", `a.yaml:1:1: unknown key "nmae": did you mean "name"?`},
		"unknown key, far":   {"zzzzzzzz: x", `a.yaml:1:1: unknown key "zzzzzzzz": known keys: name, count, on, wait, words, parts, raw, set`},
		"nested unknown key": {"parts:\n  x:\n    sise: 1", `a.yaml:3:5: unknown key "sise": did you mean "size"?`},
		"key twice":          {"name: x\nname: y", `a.yaml:2:1: key "name" was given on line 1 already`},
		"number for text":    {"name: 5", `a.yaml:1:7: text is wanted here: put it in quotes`},
		"text for number":    {"count: five", `a.yaml:1:8: a whole number is wanted here`},
		"octal":              {"count: 0x10", `a.yaml:1:8: a plain whole number is wanted here`},
		"yes is no boolean":  {"'on': yes", `a.yaml:1:7: true or false is wanted here`},
		"duration":           {"wait: 5", `a.yaml:1:7: a duration is wanted here, such as 30s, 15m or 24h`},
		"negative duration":  {"wait: -5s", `a.yaml:1:7: a duration is wanted here, such as 30s, 15m or 24h`},
		"no value":           {"name:", `a.yaml:1:6: key "name" has no value: give one or leave the key out`},
		"scalar for list":    {"words: a", `a.yaml:1:8: a list is wanted here`},
		"list for map":       {"set: [a]", `a.yaml:1:6: a map of names is wanted here`},
		"scalar for struct":  {"parts: {x: 1}", `a.yaml:1:12: a map with the keys size is wanted here`},
		"anchor":             {"name: &a x", `a.yaml:1:7: anchors and aliases are not read: write the value out`},
		"second document":    {"name: x\n---\nname: y", `a.yaml:2:1: a second document: keep one per file`},
		"empty":              {"# nothing", `a.yaml:1:1: the file is empty`},
		"number key":         {"1: x", `a.yaml:1:1: a key must be text: put it in quotes`},
		"not yaml":           {"name: [", `a.yaml:1:1: not valid YAML: check indentation, quotes and tabs around this line`},
		"tag":                {"name: !!binary aGk=", `a.yaml:1:7: values with a tag are not read: write the plain value`},
		"not a number":       {"raw: {a: .nan}", `a.yaml:1:6: not plain JSON: `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got file
			err := strictyaml.Decode("a.yaml", []byte(c.in), &got)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestDecodeReportsEverythingInOrder(t *testing.T) {
	t.Parallel()
	var got file
	err := strictyaml.Decode("a.yaml", []byte("count: x\nnmae: y\nwait: z"), &got)
	want := "a.yaml:1:8: a whole number is wanted here\n" +
		"a.yaml:2:1: unknown key \"nmae\": did you mean \"name\"?\n" +
		"a.yaml:3:7: a duration is wanted here, such as 30s, 15m or 24h"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestDecodeSurvivesBombs(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"depth": "raw: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"size":  strings.Repeat("a", 6<<20),
		"laughs": "raw: {a: &a [x,x,x,x,x,x,x,x,x], b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a], " +
			"c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b], d: [*c,*c,*c,*c,*c,*c,*c,*c,*c]}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got file
			if err := strictyaml.Decode("a.yaml", []byte(in), &got); err == nil {
				t.Error("read without an error")
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("name: x\nparts: {a: {size: 1}}"))
	f.Add([]byte("raw: {a: [1, .inf]}"))
	f.Add([]byte("a: &x [*x]"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var got file
		if strictyaml.Decode("a.yaml", in, &got) == nil && got.Raw != nil && !json.Valid(got.Raw) {
			t.Errorf("read raw JSON that is not JSON: %q", got.Raw)
		}
	})
}
