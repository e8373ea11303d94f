// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package calls_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
)

func TestReadCalls(t *testing.T) {
	t.Parallel()
	list, err := calls.Read("c.jsonl", strings.NewReader(`
{"tool": "s/t", "args": {"a": 1}, "subject": {"id": "ann", "roles": ["ops"]}, "session": "x", "run": {"readOnly": true}, "env": {"stage": "dev"}, "time": "2026-01-02T03:04:05Z", "model": "m"}
{"tool": "t", "arguments": {"b": 2}, "verdict": "ask", "rule": "r"}
`))
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	tool, err := calls.Tool(nil, "s/t")
	if err != nil {
		t.Fatal(err)
	}
	r := list[0].Request(tool)
	if r.Subject.ID != "ann" || !r.Subject.HasRole("ops") || r.Session != "x" || !r.Run.ReadOnly || r.Environment["stage"] != "dev" || r.At.Hour() != 3 || r.Model != "m" || list[0].At != "c.jsonl:2" {
		t.Errorf("%+v", r)
	}
	if list[1].Verdict != "ask" || list[1].Rule != "r" || list[1].Arguments.RawText() != `{"b": 2}` {
		t.Errorf("%+v", list[1])
	}
}

func TestWhatIsNoCallIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"args": {}}`: "names no tool", `{"tool": "t", "arg": {}}`: `unknown member "arg"`, `{"tool": "t", "args": []}`: "no object", `[]`: "not strict JSON",
		`{"tool": "t", "args": {}, "arguments": {}}`: "both", `{"tool": "t", "time": "now"}`: "time:", `{"tool": "t", "tool": "u"}`: "not strict JSON", `{"tool": "t", "subject": "ann"}`: "subject is string: write an object of id,",
		`{"tool": 7}`: "tool is number: write a text", `{"tool": "t", "session": null}`: "session is null: write a text, or leave it out", `{"tool": "t", "verdict": true}`: "verdict is boolean",
		`{"tool": "t", "verdict": "denied"}`: `verdict "denied" is not known: write allow, ask or deny`, `{"tool": "t", "model": ["m"]}`: "model is array", `{"tool": "t", "time": 7}`: "time is number", `{"tool": "t", "rule": {}}`: "rule is object",
		`{"tool": "t", "subject": {"role": ["ops"]}}`: `unknown member "role" of subject: known are id,`, `{"tool": "t", "subject": {"roles": "ops"}}`: "subject.roles is string: write a list of texts",
		`{"tool": "t", "subject": {"roles": ["ops", 7]}}`: "subject.roles/1 is number: write a text", `{"tool": "t", "subject": {"permissions": {}}}`: "subject.permissions is object", `{"tool": "t", "subject": {"id": 1}}`: "subject.id is number",
		`{"tool": "t", "subject": {"kind": "robot"}}`: `subject.kind "robot" is not known: write person, agent or service`, `{"tool": "t", "run": true}`: "run is boolean: write an object of id, readOnly", `{"tool": "t", "run": {"readonly": true}}`: `unknown member "readonly" of run`,
		`{"tool": "t", "run": {"readOnly": "true"}}`: "run.readOnly is string: write true or false", `{"tool": "t", "run": {"id": 1}}`: "run.id is number", `{"tool": "t", "env": []}`: "env is array: write an object", `{"tool": "t", "env": {"stage\u202e": 1}}`: "is number: write a text",
	} {
		if _, err := calls.Read("c", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "c:1: ") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestOnlyDecisionsAreCalls(t *testing.T) {
	t.Parallel()
	for _, r := range []tv.Record{
		{Kind: tv.RecordOutcome, Tool: "s/t", PolicyHash: "h"},
		{Kind: tv.RecordDecision, Tool: "s/t", PolicyHash: "h", Code: tv.InvalidInput},
		{Kind: tv.RecordDecision, Tool: "s/t", PolicyHash: "h", Code: tv.SessionFrozen},
		{Kind: tv.RecordDecision, PolicyHash: "h"},
		{Kind: tv.RecordAdmin},
	} {
		if c, ok := calls.FromRecord(&audit.Numbered{Record: r}); ok {
			t.Errorf("%+v", c)
		}
	}
}

// The law: whatever the redactor leaves out of a record is known to be hidden.
func TestEverythingThatIsRedactedIsKnownToBeHidden(t *testing.T) {
	t.Parallel()
	redactor, err := redact.New(redact.Config{Key: bytes.Repeat([]byte{7}, 32), Held: []string{"held-secret-1"}, MaxSummary: 700, MaxText: 40})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := calls.Tool(nil, "s/t")
	if err != nil {
		t.Fatal(err)
	}
	scalars := []string{`"plain"`, `"` + strings.Repeat("long ", 30) + `"`, `"ghp_0123456789abcdefghijABCDEFGHIJ012345"`, `"x held-secret-1 y"`, `7`, `1` + strings.Repeat("0", 90), `true`, `null`, `"password=hunter22222"`, `"AKIAIOSFODNN7EXAMPLE"`}
	names := []string{"a", "password", "api_key", "text", "a/b", "…", strings.Repeat("name", 30), "token"}
	var value func(t *rapid.T, depth int) string
	value = func(t *rapid.T, depth int) string {
		switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
		case kind == 0 && depth > 0:
			var list []string
			for range rapid.IntRange(0, 12).Draw(t, "items") {
				list = append(list, value(t, depth-1))
			}
			return "[" + strings.Join(list, ",") + "]"
		case kind == 1 && depth > 0:
			var list []string
			for _, n := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(t, "names") {
				list = append(list, fmt.Sprintf("%q:%s", n, value(t, depth-1)))
			}
			return "{" + strings.Join(list, ",") + "}"
		}
		return rapid.SampledFrom(scalars).Draw(t, "scalar")
	}
	rapid.Check(t, func(t *rapid.T) {
		text := `{"x":` + value(t, 10) + `,"y":` + value(t, 2) + `}`
		v, err := canon.ParseObject([]byte(text), canon.Limits{})
		if err != nil {
			return
		}
		c, ok := calls.FromRecord(&audit.Numbered{Record: tv.Record{Kind: tv.RecordDecision, At: time.Unix(1, 0), Tool: "s/t", PolicyHash: "h", Arguments: redactor.Arguments(tool, v, tv.RecordView)}})
		if !ok {
			t.Fatal("no call")
		}
		var check func(at string, was canon.Value)
		check = func(at string, was canon.Value) {
			if slices.Contains(c.Hidden, at) {
				return
			}
			now, _ := c.Arguments.Pointer(at)
			switch was.Kind() {
			case canon.KindObject:
				if now.Kind() != canon.KindObject || now.Len() != was.Len() {
					t.Fatalf("%s: %s became %s, and is not among %q", at, was.RawText(), now.RawText(), c.Hidden)
				}
				for name, m := range was.Fields() {
					check(at+"/"+strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1"), m)
				}
			case canon.KindArray:
				if now.Kind() != canon.KindArray || now.Len() != was.Len() {
					t.Fatalf("%s: %s became %s, and is not among %q", at, was.RawText(), now.RawText(), c.Hidden)
				}
				for i, e := range was.Items() {
					check(fmt.Sprintf("%s/%d", at, i), e)
				}
			default:
				if !canon.Equal(was, now) {
					t.Fatalf("%s: %s became %s, and is not among %q", at, was.RawText(), now.RawText(), c.Hidden)
				}
			}
		}
		check("", v)
	})
}

// TestHiddenFoldersAndWordsAreHidden: what a record has in the place of a home
// folder, or of a word of an effect, is no value to decide by.
func TestHiddenFoldersAndWordsAreHidden(t *testing.T) {
	t.Parallel()
	of := func(arguments string, e ...tv.Effect) calls.Call {
		c, ok := calls.FromRecord(&audit.Numbered{Record: tv.Record{
			Kind: tv.RecordDecision, At: time.Unix(1, 0), Tool: "s/t", PolicyHash: "h", Arguments: []byte(arguments), Effects: e,
		}})
		if !ok {
			t.Fatal("no call")
		}
		return c
	}
	if c := of(`{"a":"/srv/x","b":["cat [LOCAL_PATH]/x"],"[LOCAL_PATH]/n #1":1}`); !slices.Equal(c.Hidden, []string{"/b/0", ""}) {
		t.Errorf("hidden: %q", c.Hidden)
	}
	for path, known := range map[string]bool{"/srv/x": true, "[LOCAL_PATH]/x": false, "[not shown]": false} {
		if c := of(`{}`, tv.Effect{Kind: tv.EffectRead, Path: path}); c.Analysed != known {
			t.Errorf("%s: effects are taken as known: %t", path, c.Analysed)
		}
	}
}
