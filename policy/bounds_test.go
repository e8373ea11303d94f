// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// TestBounds: what is too large, too deep or too tangled is refused by name.
func TestBounds(t *testing.T) {
	t.Parallel()
	const head = "policy: p\nversion: v1\nrules:\n"
	rule := "  - {id: r, verdict: deny, reason: why, tools: a/b}\n"
	var many strings.Builder
	for i := range 200 {
		fmt.Fprintf(&many, "  - {id: r%d, verdict: no-such, reason: why, tools: a/b}\n", i)
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"5 MiB":           {"p.yaml", head + rule + "#" + strings.Repeat("x", 5<<20), "p.yaml:1:1: the file has 5242"},
		"5 MiB of JSON":   {"p.json", "{\"policy\":\"" + strings.Repeat("x", 5<<20) + "\"}", "p.json:1:1: the file has 5242"},
		"deep lists":      {"p.yaml", head + rule + "x: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), "p.yaml:5:28: values are nested deeper than 24"},
		"deeper lists":    {"p.yaml", head + rule + "x: " + strings.Repeat("[", 100_000), "this is not YAML"},
		"deep mappings":   {"p.yaml", head + rule + strings.Repeat("{a: ", 100_000), "this is not YAML"},
		"deep JSON":       {"p.json", strings.Repeat("[", 100_000), "p.json:1:25: this is not strict JSON: too deep"},
		"deep block":      {"p.yaml", head + rule + deepBlock(2_000), "values are nested deeper than 24"},
		"bytes":           {"p.yaml", head + rule + "# \xff\xfe", "p.yaml:5:3: the file is not UTF-8 here"},
		"byte order mark": {"p.yaml", "\xef\xbb\xbf" + head + rule, "p.yaml:1:1: the file starts with a byte order mark"},
		"NUL":             {"p.yaml", head + rule + "# \x00", "p.yaml:5:3: an invisible character U+0000"},
		"carriage return": {"p.yaml", head + "# comment\r" + rule, "p.yaml:4:10: a lone carriage return stands here"},
		"many problems":   {"p.yaml", head + many.String(), "\nand 150 more"},
		"wide characters": {"p.json", "{\"策略\":1}", "p.json:1:2: unknown key \"策略\" in the policy"},
	} {
		_, _, err := policy.Compile([]policy.File{{Name: c.file, Content: []byte(c.text)}}, nil, policy.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.300v\nwant %s", name, err, c.want)
		}
		if _, ok := errors.AsType[policy.Problems](err); !ok {
			t.Errorf("%s: %T", name, err)
		}
	}
	// What only looks odd loads.
	for name, text := range map[string]string{
		"carriage returns":   strings.ReplaceAll(head+rule, "\n", "\r\n"),
		"tab in a comment":   head + rule + "# a\ttab\n",
		"tab in text":        head + "  - {id: r, verdict: deny, reason: \"a\tb\", tools: a/b}\n",
		"document start":     "---\n" + head + rule,
		"block text":         head + "  - id: r\n    verdict: deny\n    reason: >-\n      a long\n      reason\n    tools: a/b\n",
		"escaped characters": head + "  - {id: r, verdict: deny, reason: why, tools: a/b, when: {args.x: {contains: \"\\u202e\"}}}\n",
	} {
		if _, _, err := policy.Compile([]policy.File{{Name: "p.yaml", Content: []byte(text)}}, nil, policy.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLongCalls: a list or a text that would keep the gate busy is unknown.
func TestLongCalls(t *testing.T) {
	t.Parallel()
	list := func(n int, tail string) toolverdict.Request {
		return toolverdict.Request{Arguments: args(t, `{"x":[`+strings.Repeat(`"a",`, n-1)+tail+`]}`)}
	}
	for _, condition := range []string{"when: {args.x: a}", "when: {'args.x[*]': a}", "when: {args.x: {every: a}}"} {
		p := probe(t, condition)
		if got := p(list(10_000, `"a"`)); !got.deny || !got.allow || got.unknown {
			t.Errorf("%s on a list of the longest size: %+v", condition, got)
		}
		if got := p(list(10_001, `"a"`)); !got.deny || got.allow || !got.unknown {
			t.Errorf("%s on a longer list: %+v", condition, got)
		}
	}
	p := probe(t, `when: {args.x: {regex: "(a|b)*c?(a|b)*"}}`)
	if got := p(toolverdict.Request{Arguments: args(t, `{"x":"`+strings.Repeat("ab", 450_000)+`"}`)}); !got.deny || got.allow || !got.unknown {
		t.Errorf("a long text under a regex: %+v", got)
	}
}

func deepBlock(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// TestBigPolicy: ten thousand rules load and decide.
func TestBigPolicy(t *testing.T) {
	t.Parallel()
	w := newWorkload(t, 10_000, "mixed")
	matched := 0
	for _, r := range w.calls {
		d := w.set.Decide(r)
		matched += len(d.Rules)
		if d.Verdict != toolverdict.Deny && d.Rule == "" {
			t.Errorf("%s by nobody", d.Verdict)
		}
	}
	if matched < len(w.calls) {
		t.Errorf("only %d rules matched %d calls", matched, len(w.calls))
	}
}
