// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
)

func seeds(f *testing.F) [][]byte {
	f.Helper()
	var out [][]byte
	names, _ := filepath.Glob("testdata/ok/*")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, text)
	}
	return out
}

// FuzzLoad reads hostile files: they are refused with places, or give a set that
// decides, the same from the same text, and that the published schema accepts.
func FuzzLoad(f *testing.F) {
	for _, text := range seeds(f) {
		f.Add(text, bytes.HasPrefix(text, []byte("{")))
	}
	f.Add([]byte("policy: p\nversion: v1\nrules:\n  - {id: r, verdict: deny, reason: w, tools: '*', when: {args.x: {not: {any: [1]}}}}\n"), false)
	f.Add([]byte("a: &a [*a]\n"), false)
	f.Add([]byte("{\"policy\":\"p\",\"version\":1,\"rules\":[{\"id\":\"r\"}]}"), true)
	tools := catalog{tool(f, "s/one", "true")}
	published := publishedSchema(f)
	f.Fuzz(func(t *testing.T, text []byte, asJSON bool) {
		name := "f.yaml"
		if asJSON {
			name = "f.json"
		}
		set, _, err := policy.Compile([]policy.File{{Name: name, Content: text}}, tools, policy.Options{Discovery: true})
		if err != nil {
			var problems policy.Problems
			if !errors.As(err, &problems) || set != nil {
				t.Fatalf("%T beside a set: %v", err, set != nil)
			}
			lines := bytes.Count(text, []byte("\n")) + 1
			for _, p := range problems {
				if p.Line < 1 || p.Line > lines || p.Column < 1 || p.Hint == "" {
					t.Errorf("out of place: %+v", p)
				}
			}
			return
		}
		if doc, ok := document(text); !ok {
			t.Error("no document")
		} else if err := published.Validate(doc); err != nil {
			t.Errorf("the reader accepts what the schema refuses: %v", err)
		}
		again, _, err := policy.Compile([]policy.File{{Name: name, Content: text}}, nil, policy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, a := set.Identity(); a == "" {
			t.Error("no hash")
		} else if _, b := again.Identity(); a != b {
			t.Error("two hashes of one text")
		}
		for _, call := range []string{`{}`, `{"x":1}`, `{"x":[null,"a",{"y":1}]}`} {
			r := toolverdict.Request{Tool: tools[0], Arguments: args(t, call), At: time.Unix(1, 0)}
			if diff := cmp.Diff(set.Decide(r), again.Decide(r)); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// FuzzDecide decides hostile arguments under a policy that uses the whole
// language: never a panic, never two answers, never an allow beside a deny.
func FuzzDecide(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":"text","b":1,"k":["x"],"list":[{"price":101}],"m":"/data/x","n":"a@corp.example","o":"https://example.com","p":"10.0.0.1"}`,
		`{"a":null,"list":[[3]],"odd key":{"x":1},"d":"/srv/a.txt","e":1e3,"j":"four"}`, `{"k":[[["x"]]],"list":{"0":1},"f":0.5}`,
	} {
		f.Add(s, int64(1_700_000_000))
	}
	var files []policy.File
	for _, text := range seeds(f) {
		if !bytes.HasPrefix(text, []byte("{")) {
			files = append(files, policy.File{Name: "all.yaml", Content: text})
		}
	}
	w := newWorkload(f, 60, "hot")
	files = append(files, policy.File{Name: "hot.yaml", Content: []byte(strings.ReplaceAll(w.text, "s00/tool_0000", "a/b"))})
	set, _, err := policy.Compile(files, nil, policy.Options{})
	if err != nil {
		f.Fatal(err)
	}
	one := tool(f, "a/b", "true")
	f.Fuzz(func(t *testing.T, text string, at int64) {
		v, err := canon.Parse([]byte(text), canon.Limits{})
		if err != nil {
			return
		}
		r := toolverdict.Request{Tool: one, Arguments: v, At: time.Unix(at%(1<<40), 0)}
		d := set.Decide(r)
		if diff := cmp.Diff(d, set.Decide(r)); diff != "" {
			t.Error(diff)
		}
		for _, m := range d.Rules {
			if m.Verdict < d.Verdict {
				t.Errorf("%s although rule %q says %s", d.Verdict, m.Rule, m.Verdict)
			}
			if m.Unknown && m.Verdict == toolverdict.Allow {
				t.Errorf("rule %q allows on an unknown", m.Rule)
			}
		}
	})
}

// FuzzEffects decides hostile effects under a policy that uses the whole
// language: never a panic, never two answers, and what is not understood beside
// them never makes a verdict milder.
func FuzzEffects(f *testing.F) {
	for _, s := range []string{
		`[]`, `[{"kind":"opaque"}]`, `[{"kind":"later","path":"/srv"}]`, `[{"kind":"query"}]`,
		`[{"kind":"delete","path":"/srv","deep":true,"pattern":"/srv/**/*.e[n]v"},{"kind":"read","path":"/srv/A","folded":true}]`,
		`[{"kind":"execute","program":"git","argv":["git","\u0000","--f\u0000"],"verb":"push"},{"kind":"execute","program":"ls","known":true}]`,
		`[{"kind":"connect","host":"::1","ip":"::ffff:10.0.0.1","port":-1},{"kind":"spend","amount":"1e9999"},{"kind":"send","recipient":"a@b,c@d"}]`,
		`[{"kind":"query","query":{"verb":"select","reads":["*","a.b"],"columns":["t.*"],"changes":null,"limit":-5}}]`,
	} {
		f.Add([]byte(s))
	}
	text, err := os.ReadFile("testdata/ok/all.yaml")
	if err != nil {
		f.Fatal(err)
	}
	set, _, err := policy.Compile([]policy.File{{Name: "all.yaml", Content: text}}, nil, policy.Options{})
	if err != nil {
		f.Fatal(err)
	}
	known := withRoles(f, "a/b", "shell")
	f.Fuzz(func(t *testing.T, text []byte) {
		var list []toolverdict.Effect
		if json.Unmarshal(text, &list) != nil {
			return
		}
		r := toolverdict.Request{Tool: known, Arguments: args(t, `{}`), Effects: list}
		d := set.Decide(r)
		if diff := cmp.Diff(d, set.Decide(r)); diff != "" {
			t.Error(diff)
		}
		for _, m := range d.Rules {
			if m.Verdict < d.Verdict || m.Unknown && m.Verdict == toolverdict.Allow {
				t.Errorf("%s, although %+v matches", d.Verdict, m)
			}
		}
		r.Effects = append(slices.Clone(list), toolverdict.Effect{Kind: toolverdict.EffectOpaque})
		if more := set.Decide(r); more.Verdict > d.Verdict {
			t.Errorf("%s became %s", d.Verdict, more.Verdict)
		}
	})
}
