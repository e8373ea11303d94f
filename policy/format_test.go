// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/policy"
)

func format(t *testing.T, text string) string {
	t.Helper()
	out, err := policy.Format(policy.File{Name: "p.yaml", Content: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"order, indentation, brackets, quotes, comments": {`# head

# what it is for
version: v1   # when
policy: p
rules:
- reason: "Why"
  id:   a  # who
  tools:   [  a/b,c/d ]
  # the verdict
  verdict: deny
  when:
      args.x:
        gt:     1
      args.y: {in: [one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen]}
- {id: b, verdict: allow, reason: 'it''s', tools: x}
- {id: c, verdict: allow, reason: Why, tools: x}
# the last
`, `# head

# what it is for
policy: p
version: v1 # when
rules:
  - id: a # who
    # the verdict
    verdict: deny
    reason: "Why"
    tools: [a/b, c/d]
    when:
      args.x:
        gt: 1
      args.y:
        in: [one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen]

  - {id: b, verdict: allow, reason: 'it''s', tools: x}
  - {id: c, verdict: allow, reason: Why, tools: x}
# the last
`},
		"texts of several lines": {`policy: p
version: v1
rules:
  - id: a
    verdict: deny
    reason: >-
          Why it
          is so # no comment

    description: one
      and two
    tools: x # the tool
    when:
      args.x: {regex: "a # b"}
    match: [{x: "a
      b"}]
    noMatch:
      - x: |
          # no comment
           deep

          c
`, `policy: p
version: v1
rules:
  - id: a
    description: "one and two"
    verdict: deny
    reason: >-
      Why it
      is so # no comment
    tools: x # the tool
    when:
      args.x: {regex: "a # b"}
    match: [{x: "a b"}]
    noMatch:
      - x: |
          # no comment
           deep

          c
`},
		"comments inside of brackets": {`policy: p
version: v1
rules:
  - id: a
    verdict: deny
    reason: Why
    tools: [a, # the first
      # the second
      b]
    when: {any: [{args.x: 1}, # one
      {args.x: 2}]}
`, `policy: p
version: v1
rules:
  - id: a
    verdict: deny
    reason: Why
    tools:
      - a # the first
      # the second
      - b
    when:
      any:
        - {args.x: 1} # one
        - {args.x: 2}
`},
		"tests": {`cases:
- want: deny
  name: one
  args: {b: 1, a: 2}
  tool: x
- {name: two, tool: x, want: deny}
`, `cases:
  - name: one
    tool: x
    args: {b: 1, a: 2}
    want: deny

  - {name: two, tool: x, want: deny}
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := format(t, c.in)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if again := format(t, got); again != got {
				t.Errorf("laid out again it is another: %s", cmp.Diff(got, again))
			}
		})
	}
}

// identityOf is what a policy says, as its hash.
func identityOf(t *testing.T, text string) string {
	t.Helper()
	s, _, err := policy.Compile([]policy.File{{Name: "p.yaml", Content: []byte(text)}}, nil, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, hash := s.Identity()
	return hash
}

// TestFormatKeepsTheMeaning: laid out anew, and again, a policy is the same: by
// its hash, and by every word of its comments, wherever they stand.
func TestFormatKeepsTheMeaning(t *testing.T) {
	t.Parallel()
	all, err := os.ReadFile("testdata/ok/all.yaml")
	if err != nil {
		t.Fatal(err)
	}
	hash := identityOf(t, string(all))
	rapid.Check(t, func(r *rapid.T) {
		lines := strings.Split(string(all), "\n")
		added := map[string]bool{}
		for i := range rapid.IntRange(0, 12).Draw(r, "comments") {
			at := rapid.IntRange(0, len(lines)).Draw(r, "line")
			text := fmt.Sprintf("# comment %d", i)
			switch rapid.IntRange(0, 3).Draw(r, "how") {
			case 0:
				if at < len(lines) && lines[at] != "" {
					lines[at] += " " + text
				}
			case 1:
				lines = slices.Insert(lines, at, "", text, "")
			default:
				lines = slices.Insert(lines, at, strings.Repeat(" ", rapid.IntRange(0, 12).Draw(r, "indent"))+text)
			}
			added[text] = true
		}
		text := strings.Join(lines, "\n")
		s, _, err := policy.Compile([]policy.File{{Name: "p.yaml", Content: []byte(text)}}, nil, policy.Options{})
		if err != nil {
			return // the comment stood in a text of several lines
		}
		if _, is := s.Identity(); is != hash {
			return // it became part of one
		}
		out, err := policy.Format(policy.File{Name: "p.yaml", Content: []byte(text)})
		if err != nil {
			r.Fatalf("%v\n%s", err, text)
		}
		if identityOf(t, string(out)) != hash {
			r.Fatalf("another policy:\n%s", out)
		}
		for comment := range added {
			if strings.Contains(text, comment) && strings.Count(string(out), comment) < 1 {
				r.Fatalf("%q is gone:\n%s", comment, out)
			}
		}
		again, err := policy.Format(policy.File{Name: "p.yaml", Content: out})
		if err != nil || string(again) != string(out) {
			r.Fatalf("laid out again it is another: %v\n%s", err, cmp.Diff(string(out), string(again)))
		}
	})
}

// TestFormatRandomPolicies does the same to policies of all forms.
func TestFormatRandomPolicies(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		d := drawing{t: r}
		text := drawEffectPolicy(r, d).yaml("p")
		if _, err := tryCompile(text); err != nil {
			return
		}
		out, err := policy.Format(policy.File{Name: "p.yaml", Content: []byte(text)})
		if err != nil {
			r.Fatalf("%v\n%s", err, text)
		}
		if identityOf(t, text) != identityOf(t, string(out)) {
			r.Fatalf("another policy:\n%s\n%s", text, out)
		}
		again, err := policy.Format(policy.File{Name: "p.yaml", Content: out})
		if err != nil || string(again) != string(out) {
			r.Fatalf("laid out again it is another: %v\n%s", err, cmp.Diff(string(out), string(again)))
		}
	})
}

// TestFormatRefusesWhatDoesNotParse: nothing is laid out that cannot be read.
func TestFormatRefusesWhatDoesNotParse(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no policy": "a: 1\n", "not YAML": "policy: [", "empty": "", "anchors": "policy: &a p\nversion: v1\nrules: []\n",
	} {
		if out, err := policy.Format(policy.File{Name: "p.yaml", Content: []byte(text)}); err == nil || out != nil {
			t.Errorf("%s was laid out: %s", name, out)
		}
	}
}

func TestFormatJSON(t *testing.T) {
	t.Parallel()
	out, err := policy.Format(policy.File{Name: "p.json", Content: []byte(`{"policy":"p","version":"v1","rules":[{"id":"a","verdict":"deny","reason":"Why","tools":["x"]}]}`)})
	if err != nil || !strings.HasPrefix(string(out), "{\n  \"policy\": \"p\",\n") {
		t.Errorf("%s, %v", out, err)
	}
}

func FuzzFormat(f *testing.F) {
	for _, pattern := range []string{"testdata/ok/*.yaml", "../examples/orders/policy*.yaml"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatal(pattern, err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Add([]byte("policy: p # a\nversion: v1\nrules:\n- {id: a, verdict: deny, reason: >-\n  tools: x}\n"))
	f.Add([]byte("policy: p\nversion: v1\nrules:\n  - # x\n    id: a\n    verdict: deny\n    reason: |\n      a\n\n      b\n    tools: [x, # y\n    ]\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := policy.Format(policy.File{Name: "p.yaml", Content: in})
		if err != nil {
			return
		}
		again, err := policy.Format(policy.File{Name: "p.yaml", Content: out})
		if err != nil {
			t.Fatalf("what was laid out cannot be: %v\n%s", err, out)
		}
		if string(again) != string(out) {
			t.Fatalf("laid out again it is another:\n%s\n%s", out, again)
		}
	})
}
