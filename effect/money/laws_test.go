// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package money_test

import (
	"math/big"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/money"
	"github.com/toolverdict/toolverdict/internal/canon"
)

type tester interface {
	Errorf(format string, args ...any)
}

// check holds for every text whatever.
func check(t tester, text string) {
	for _, o := range []money.Options{{}, {Currency: "USD", Minor: true}, {Currency: "KWD", Negative: true}} {
		effects := money.Analyse(text, o)
		if again := money.Analyse(text, o); !cmp.Equal(effects, again) {
			t.Errorf("%q is not read the same way twice", text)
		}
		if len(effects) == 0 {
			t.Errorf("%q has no effect", text)
		}
		sure := true
		for _, e := range effects {
			switch e.Kind {
			case tv.EffectOpaque:
				sure = false
				if e.Detail == "" {
					t.Errorf("%q is opaque without a reason", text)
				}
			case tv.EffectSpend:
				checkAmount(t, text, e.Amount)
			default:
				t.Errorf("%q has an effect of kind %s", text, e.Kind)
			}
		}
		if sure && len(effects) != 1 {
			t.Errorf("%q is %d amounts and not opaque", text, len(effects))
		}
	}
}

// checkAmount keeps amounts canonical: equal ones are equal texts, and the JSON
// number of the same text is the same amount.
func checkAmount(t tester, text, amount string) {
	n, err := canon.ParseNumber(amount)
	if err != nil && len(amount) < 17 {
		t.Errorf("%q spends %q, which is no number", text, amount)
	}
	if strings.ContainsAny(amount, "eE+ ") || amount != "0" && strings.Trim(amount, "-0.") == "" ||
		strings.Contains(amount, ".") && strings.HasSuffix(amount, "0") || strings.HasSuffix(amount, ".") {
		t.Errorf("%q spends %q, which is not canonical", text, amount)
	}
	if got := money.Analyse(amount, money.Options{Negative: true, Currency: "KWD"}); len(got) != 1 || got[0].Amount != amount {
		t.Errorf("%q spends %q, which is read as %s", text, amount, show(got))
	}
	if err == nil {
		if got := money.AnalyseValue(n.Value(), money.Options{Negative: true}); got[0].Amount != amount {
			t.Errorf("%q spends %q, and its JSON number %q", text, amount, got[0].Amount)
		}
	}
}

func some(r *rapid.T) string {
	part := rapid.SampledFrom([]string{"0", "1", "12", "123", "000", "999", ".", ",", "-", "+", "e", "E3", "USD", "eur", "KWD ", " ", "$", "_", "'", "x", "１", "%"})
	return strings.Join(rapid.SliceOfN(part, 1, 6).Draw(r, "parts"), "")
}

func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) { check(r, some(r)) })
}

// TestExact compares with rational numbers: nothing is rounded.
func TestExact(t *testing.T) {
	t.Parallel()
	number := rapid.StringMatching(`(0|[1-9][0-9]{0,20})(\.[0-9]{1,10})?([eE][+-]?[0-9])?`)
	rapid.Check(t, func(r *rapid.T) {
		text := number.Draw(r, "number")
		want, ok := new(big.Rat).SetString(text)
		if !ok {
			r.Fatalf("%q is no number", text)
		}
		for _, e := range money.Analyse(text, money.Options{Currency: "KWD"}) {
			if e.Kind == tv.EffectOpaque {
				continue
			}
			got, ok := new(big.Rat).SetString(e.Amount)
			if !ok || got.Cmp(want) != 0 {
				r.Errorf("%q is %s", text, e.Amount)
			}
		}
		for _, e := range money.Analyse(text, money.Options{Currency: "USD", Minor: true}) {
			got, ok := new(big.Rat).SetString(e.Amount)
			if e.Kind == tv.EffectSpend && !strings.Contains(text, ".") && (!ok || got.Mul(got, big.NewRat(100, 1)).Cmp(want) != 0) {
				r.Errorf("%q cents are %s", text, e.Amount)
			}
		}
	})
}

func hostile() []string {
	long := func(part string) string { return strings.Repeat(part, (1<<20)/len(part)) }
	return []string{long("1"), long("1,"), long("0"), long(" "), long("USD"), "1e" + long("9"), "1e99999999", "0." + long("0"), long("١")}
}

// TestHostile bounds what a hostile text may cost in memory.
func TestHostile(t *testing.T) {
	for _, text := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := money.Analyse(text, money.Options{})
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 || show(got) != "opaque" {
			t.Errorf("%.10s: %d bytes were used, %s", text, used, show(got))
		}
	}
}

func FuzzAnalyse(f *testing.F) {
	for _, seed := range []string{"12.50 USD", "1,234.56", "1.234,56", "12,34,567", "1,000", "-5", "1e3", "007", "$5", "EUR 5", "1.000", "1e400", "-USD 5", "5 XYZ", "0.000000000000000001", "१२"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, text)
		if v, err := canon.Parse([]byte(text), canon.Limits{}); err == nil {
			money.AnalyseValue(v, money.Options{Currency: text})
		}
	})
}

func BenchmarkAnalyse(b *testing.B) {
	number, _ := canon.Parse([]byte(`129.90`), canon.Limits{})
	b.Run("number", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			money.AnalyseValue(number, money.Options{Source: "/amount", Currency: "USD"})
		}
	})
	for _, c := range []struct{ name, text string }{{"text", "129.90 USD"}, {"groups", "1,234,567.89 EUR"}, {"doubtful", "1,000"}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				money.Analyse(c.text, money.Options{Source: "/amount"})
			}
		})
	}
}
