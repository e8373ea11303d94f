// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// workload is a policy as large companies have them: many tools, rules of mixed
// shapes, calls of which some are allowed, some asked, some denied.
type workload struct {
	set   *policy.Set
	calls []toolverdict.Request
	text  string
	tools catalog
}

const workloadTools = 200

// newWorkload makes a policy of n rules. With hot, all of them are for one tool,
// each about other customers, folders or hosts, as rules are of which there are
// many; with crowd they are about few, so that a call meets many. With own, every tool has five rules and the calls are the same for every n, so
// that only the size of the policy grows.
func newWorkload(t testing.TB, n int, shape string) workload {
	t.Helper()
	rnd := rand.New(rand.NewPCG(uint64(n), 7))
	var w workload
	count := workloadTools
	if shape == "own" {
		count = max(n/5, 1)
	}
	const input = `{"type":"object","properties":{"path":{"type":"string"},"to":{"type":"string"},"command":{"type":"string"},"amount":{"type":"number"},"url":{"type":"string"}}}`
	for i := range count {
		w.tools = append(w.tools, tool(t, fmt.Sprintf("s%02d/tool_%04d", i/10, i), input))
	}
	var b strings.Builder
	b.WriteString("policy: bench\nversion: v1\ndefault: deny\nrules:\n")
	for i := range n {
		if shape == "own" {
			rnd = rand.New(rand.NewPCG(uint64(i), 7))
		}
		verdict := "deny"
		switch k := rnd.IntN(100); {
		case k < 55:
			verdict = "allow"
		case k < 65:
			verdict = "ask"
		}
		fmt.Fprintf(&b, "  - id: rule-%05d\n    verdict: %s\n    reason: made for measuring\n    tools: [%s]\n", i, verdict, workloadPattern(rnd, i, count, shape))
		values, least := 100, 0
		if shape == "hot" {
			values, least = max(n, 100), 1
		}
		if when := workloadConditions(rnd, values, least); len(when) > 0 {
			fmt.Fprintf(&b, "    when: {%s}\n", strings.Join(when, ", "))
		}
	}
	w.text = b.String()
	w.set = compile(t, w.text, w.tools)
	rnd = rand.New(rand.NewPCG(1, 7))
	areas := 100
	if shape == "hot" {
		areas = max(n, 100)
	}
	for range 256 {
		i := rnd.IntN(count)
		switch shape {
		case "hot", "crowd":
			i = 0
		case "own":
			i = rnd.IntN(2)
		}
		w.calls = append(w.calls, toolverdict.Request{
			Tool: w.tools[i], Arguments: args(t, fmt.Sprintf(
				`{"path":"/srv/area%d/project/file%d.txt","to":"user%d@dept%d.example.com","command":"git status --short area%d","amount":%d.5,"url":"https://host%d.example.com/api/v1/items?page=2"}`,
				rnd.IntN(areas), rnd.IntN(9), rnd.IntN(areas), rnd.IntN(40), rnd.IntN(areas), rnd.IntN(1000), rnd.IntN(areas))),
			Subject: toolverdict.Subject{ID: "u1", Roles: []string{"support"}}, Session: "s1",
			Environment: map[string]string{"stage": "prod"}, At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		})
	}
	return w
}

func workloadPattern(rnd *rand.Rand, i, count int, shape string) string {
	name := func(i int) string { return fmt.Sprintf("s%02d/tool_%04d", i/10, i) }
	switch {
	case shape == "hot", shape == "crowd":
		return name(0)
	case shape == "own":
		return name(i / 5)
	}
	switch k := rnd.IntN(100); {
	case k < 75:
		return name(rnd.IntN(count))
	case k < 90:
		var names []string
		for range 2 + rnd.IntN(5) {
			names = append(names, name(rnd.IntN(count)))
		}
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf(`"s%02d/*"`, rnd.IntN(count)/10)
}

// workloadConditions draws conditions over so many values, at least so many of
// them about arguments.
func workloadConditions(rnd *rand.Rand, values, least int) []string {
	all := []func() string{
		func() string { return fmt.Sprintf("args.path: {prefix: /srv/area%d/}", rnd.IntN(values)) },
		func() string {
			return fmt.Sprintf("args.to: user%d@dept%d.example.com", rnd.IntN(values), rnd.IntN(40))
		},
		func() string {
			return fmt.Sprintf("args.command: {regex: '(git|ls|cat) (status|log)[a-z -]*area%d'}", rnd.IntN(values))
		},
		func() string {
			return fmt.Sprintf("args.url: {prefix: 'https://host%d.example.com/'}", rnd.IntN(values))
		},
		func() string { return fmt.Sprintf("args.amount: {gt: %d}", rnd.IntN(1000)) },
	}
	var when []string
	if least > 0 {
		when = append(when, all[rnd.IntN(4)]())
		all = all[4:]
	}
	for _, i := range rnd.Perm(len(all))[:rnd.IntN(min(4, len(all)+1))] {
		when = append(when, all[i]())
	}
	switch rnd.IntN(3) {
	case 1:
		when = append(when, "env.stage: ["+[]string{"prod", "dev", "test"}[rnd.IntN(3)]+"]")
	case 2:
		when = append(when, "env.stage: prod", "subject.roles: {any: ["+[]string{"support, ops", "finance"}[rnd.IntN(2)]+"]}")
	}
	return when
}

func benchmarkDecide(b *testing.B, shape string) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			w := newWorkload(b, n, shape)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				w.set.Decide(w.calls[i&255])
				i++
			}
		})
	}
}

// BenchmarkDecide is the mixed workload: rules over 200 tools.
func BenchmarkDecide(b *testing.B) { benchmarkDecide(b, "mixed") }

// BenchmarkDecideOwn keeps five rules to a tool while the policy grows.
func BenchmarkDecideOwn(b *testing.B) { benchmarkDecide(b, "own") }

// BenchmarkDecideHot puts every rule on one tool.
func BenchmarkDecideHot(b *testing.B) { benchmarkDecide(b, "hot") }

// BenchmarkDecideCrowd does, too, with so few values that a call meets a sixth
// of the rules: what it costs is to list them.
func BenchmarkDecideCrowd(b *testing.B) { benchmarkDecide(b, "crowd") }

// effectWorkload is rules about effects on one tool, and a command of a few
// programs.
func effectWorkload(t testing.TB, n int) (*policy.Set, toolverdict.Request) {
	t.Helper()
	shell := withRoles(t, "s/shell", "shell")
	var b strings.Builder
	b.WriteString("policy: bench\nversion: v1\nrules:\n")
	for i := range n {
		condition := [...]string{
			"effects.any: {kind: delete, path: {under: /srv/area%d}}", "effects.any: {kind: [write, delete], path: {glob: '*/secret%d/*'}}",
			"effects.any: {program: tool%d, argv: {any: --force}}", "effects.any: {host: {hostIn: '*.host%d.example'}}",
		}[i%4]
		fmt.Fprintf(&b, "  - {id: r%04d, verdict: deny, reason: made for measuring, tools: s/shell, when: {%s}}\n", i, fmt.Sprintf(condition, i))
	}
	b.WriteString("  - {id: allow, verdict: allow, reason: made for measuring, tools: s/shell, when: {effects.every: {kind: [read, write, delete]}}}\n")
	return compile(t, b.String(), catalog{shell}), toolverdict.Request{Tool: shell, Arguments: args(t, `{"command":"cp a b && rm a"}`), Effects: []toolverdict.Effect{
		{Kind: toolverdict.EffectExecute, Source: "/command", Program: "cp", Argv: []string{"cp", "a", "b"}, Known: true},
		{Kind: toolverdict.EffectRead, Source: "/command", Path: "/srv/app/a"},
		{Kind: toolverdict.EffectWrite, Source: "/command", Path: "/srv/app/b"},
		{Kind: toolverdict.EffectExecute, Source: "/command", Program: "rm", Argv: []string{"rm", "a"}, Known: true},
		{Kind: toolverdict.EffectDelete, Source: "/command", Path: "/srv/app/a"},
	}}
}

// BenchmarkDecideEffects is five effects against rules of one tool, all of which
// have to be looked at; deep is the same for a command that reaches below a
// folder.
func BenchmarkDecideEffects(b *testing.B) {
	for _, n := range []int{4, 100} {
		for _, deep := range []bool{false, true} {
			b.Run(fmt.Sprintf("rules=%d/deep=%t", n, deep), func(b *testing.B) {
				set, r := effectWorkload(b, n)
				r.Effects[4].Deep = deep
				b.ReportAllocs()
				for b.Loop() {
					set.Decide(r)
				}
			})
		}
	}
}

// BenchmarkCompile loads a policy from text.
func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			w := newWorkload(b, n, "mixed")
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := policy.Compile([]policy.File{{Name: "p.yaml", Content: []byte(w.text)}}, w.tools, policy.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
