// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package compare_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/policy"
	"github.com/toolverdict/toolverdict/policy/compare"
)

// many makes rules about 200 tools, each with up to three conditions.
func many(n int, changed map[int]bool) []policy.File {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("policy: p\nversion: v1\nrules:\n")
	for i := range n {
		verdict := []string{"allow", "allow", "deny", "ask"}[r.IntN(4)]
		var conditions []string
		for _, c := range []string{
			fmt.Sprintf("args.path: {prefix: /srv/%d}", r.IntN(50)), fmt.Sprintf("args.to: [u%d@a.example, u%d@b.example]", r.IntN(50), r.IntN(50)),
			fmt.Sprintf("args.n: {gt: %d}", r.IntN(500)), fmt.Sprintf("args.q: {regex: 'select .* from t%d'}", r.IntN(50)), fmt.Sprintf("env.stage: s%d", r.IntN(3)),
		} {
			if r.IntN(5) < 2 && len(conditions) < 3 {
				conditions = append(conditions, c)
			}
		}
		if changed[i] {
			conditions = append(conditions[:0], "args.n: {lt: 3}")
		}
		fmt.Fprintf(&b, "  - {id: r%d, verdict: %s, reason: r, tools: s/t%d", i, verdict, r.IntN(200))
		if len(conditions) > 0 {
			b.WriteString(", when: {" + strings.Join(conditions, ", ") + "}")
		}
		b.WriteString("}\n")
	}
	return []policy.File{{Name: "p.yaml", Content: []byte(b.String())}}
}

func BenchmarkCompare(b *testing.B) {
	some, all := map[int]bool{}, map[int]bool{}
	for i := range 1000 {
		some[i], all[i] = i%20 == 0, true
	}
	for name, changed := range map[string]map[int]bool{"one of 1000": {7: true}, "50 of 1000": some, "all of 1000": all} {
		b.Run(name, func(b *testing.B) {
			before, after := many(1000, nil), many(1000, changed)
			for b.Loop() {
				if r, err := compare.Policies(before, after, nil, compare.Maker{}); err != nil || r.Status == compare.Equal {
					b.Fatal(r.Status, err)
				}
			}
		})
	}
}
