// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// about draws a condition on one effect, over few values, so that effects come
// close.
func (d drawing) about() string {
	folder := func() string {
		return d.pick("folder", "/", "/data", "/data/a", "/Data", "/data/a/b", "/straße", "/database", "C:/data")
	}
	text := func() string { return d.pick("text", "a", "ab", "/data", "/data/a", "rm", "b") }
	parts := []string{
		"kind: [" + d.pick("kind", "read", "write", "delete", "execute", "connect", "spend", "'delete', 'write'", "opaque") + "]",
		"path: {under: ['" + folder() + "', '" + folder() + "']}", "path: {under: '" + folder() + "'}", "path: {not: {under: '" + folder() + "'}}",
		"path: {" + d.pick("op", "prefix", "suffix", "contains", "eq") + ": '" + text() + "'}",
		"path: {glob: '" + d.pick("glob", "/data/*", "*/a", "*/b/*", "/da?a/*", "/data/a") + "'}",
		"program: [" + d.pick("program", "rm", "cp", "git") + "]", "program: {prefix: '" + text() + "'}", "argv: {any: '" + text() + "'}",
		"host: " + d.pick("host", "a.example", "b.a.example", "10.0.0.1"), "host: {hostIn: '" + d.pick("domain", "*.a.example", "a.example") + "'}",
		"port: {" + d.pick("order", "gt", "lt", "eq") + ": 80}", "amount: {gt: " + d.pick("amount", "1", "2.5") + "}", "deep: true", "known: false",
		"network: [private]", "path: {exists: " + d.pick("there", "true", "false") + "}",
	}
	at := rapid.IntRange(0, len(parts)-1).Draw(d.t, "part")
	return "{" + parts[at] + "}"
}

// reached draws an effect that comes close to what rules look for.
func (d drawing) reached() toolverdict.Effect {
	kind := toolverdict.EffectKind(d.pick("kind", "read", "write", "delete", "delete", "execute", "connect", "spend", "opaque", "later"))
	e := toolverdict.Effect{Kind: kind, Source: "/command"}
	maybe := func() bool { return rapid.IntRange(0, 2).Draw(d.t, "maybe") == 0 }
	switch kind {
	case toolverdict.EffectRead, toolverdict.EffectWrite, toolverdict.EffectDelete:
		e.Path = d.pick("path", "", "/", "/data", "/data/a", "/data/a/b/c", "/DATA/A/x", "/database/x", "/x/../data", "/data\x00", "/straße/x", "/STRAßE/x", "/dat\u212A", "C:/data/x", "c:/DATA", "relative", "/data/a\xff")
		e.Deep, e.Folded = maybe(), rapid.IntRange(0, 7).Draw(d.t, "folded") == 0
		if e.Deep && maybe() {
			e.Pattern = e.Path + "/*"
		}
	case toolverdict.EffectExecute:
		e.Program, e.Known = d.pick("program", "", "rm", "rmdir", "cp", "r\x00", "\x00"), maybe()
		e.Argv = []string{e.Program, d.pick("word", "a", "ab", "\x00", "/data")}
	case toolverdict.EffectConnect:
		e.Host, e.Network = d.pick("host", "", "a.example", "b.a.example", "A.example", "10.0.0.1", "\x00.example"), d.pick("network", "", "private", "public")
		e.Port = rapid.SampledFrom([]int{0, 80, 443, 22}).Draw(d.t, "port")
	case toolverdict.EffectSpend:
		e.Amount = d.pick("amount", "", "1", "2.5", "3", "x")
	default:
	}
	return e
}

// TestEffectIndexLosesNoRule: many rules about effects together match what each of
// them matches alone, where nothing is looked up.
func TestEffectIndexLosesNoRule(t *testing.T) {
	t.Parallel()
	known, unknown := withRoles(t, "s/one", "shell"), tool(t, "s/one", "true")
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t}
		const head = "policy: p\nversion: v1\nrules:\n"
		var rules []string
		var alone []*policy.Set
		for i := range rapid.IntRange(10, 30).Draw(t, "rules") {
			when := "effects." + d.pick("each", "any", "any", "any", "every") + ": "
			switch rapid.IntRange(0, 5).Draw(t, "shape") {
			case 0:
				when += "{all: [" + d.about() + ", " + d.about() + "]}"
			case 1:
				when += "{any: [" + d.about() + ", " + d.about() + "]}"
			case 2:
				when += "{not: " + d.about() + "}"
			default:
				when += d.about()
			}
			if rapid.IntRange(0, 5).Draw(t, "not") == 0 {
				when = "not: {" + when + "}"
			}
			rule := fmt.Sprintf("  - {id: r%02d, verdict: %s, reason: drawn, tools: s/one, when: {%s}}\n", i, d.pick("verdict", "deny", "allow", "ask"), when)
			set, err := tryCompile(head + rule)
			if err != nil { // no effect has all that it asks
				continue
			}
			rules, alone = append(rules, rule), append(alone, set)
		}
		if len(rules) == 0 {
			return
		}
		together, err := tryCompile(head + strings.Join(rules, ""))
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			r := toolverdict.Request{Tool: known, Arguments: fromGo(t, map[string]any{})}
			for range rapid.IntRange(0, 3).Draw(t, "effects") {
				r.Effects = append(r.Effects, d.reached())
			}
			if rapid.IntRange(0, 9).Draw(t, "analysed") == 0 {
				r.Tool = unknown
			}
			var want []toolverdict.Match
			for _, set := range alone {
				want = append(want, set.Decide(r).Rules...)
			}
			if got := together.Decide(r).Rules; !slices.Equal(got, want) {
				t.Fatalf("%s\n%+v\ntogether %v\nalone    %v", strings.Join(rules, ""), r.Effects, got, want)
			}
		}
	})
}
