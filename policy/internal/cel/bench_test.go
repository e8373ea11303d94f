// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cel_test

import (
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/cel"
)

// BenchmarkEval measures an expression of the usual size, and the most that any
// can take.
func BenchmarkEval(b *testing.B) {
	e := environment(b)
	list := `{"l": [` + strings.TrimSuffix(strings.Repeat("1,", 1000), ",") + `], "t": "` + strings.Repeat("ab", 1<<18) + `"}`
	for _, c := range []struct{ name, text, args string }{
		{"sum", "args.n * 2 > 100 && subject.user != ''", arguments},
		{"decimals", "args.cents * 3 == 59.97", arguments},
		{"list", "args.items.exists(i, i.price > 5 && i.id == 'y')", arguments},
		{"most steps", "args.l.all(x, args.l.all(y, x == y))", list},
		{"most sums", "args.l.all(x, args.l.all(y, x * 1.5 + y == 2.5))", list},
		{"most text", "args.l.all(x, !args.t.contains('bb'))", list},
		{"most regex", "args.l.all(x, !args.t.matches('a(b|c)*d'))", list},
	} {
		b.Run(c.name, func(b *testing.B) {
			x, problems := e.Compile(source(b, c.text), false)
			if len(problems) > 0 {
				b.Fatal(problems)
			}
			args, err := canon.Parse([]byte(c.args), canon.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			in := cel.Input{Arguments: args, At: now}
			for _, f := range x.Host {
				in.Host = append(in.Host, host(f))
			}
			b.ReportAllocs()
			for b.Loop() {
				x.Eval(&in)
			}
		})
	}
}
