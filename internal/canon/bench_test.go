// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// refundCall is a call of common size and shape: 338 bytes, one escape.
const refundCall = `{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"refund","arguments":{"order_id":"A1001","amount":99.95,"currency":"USD","confirm":false,"tags":["late","damaged"],"note":"the customer\u0027s parcel arrived broken"},"_meta":{"progressToken":"p-1","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}`

// The hot path allocates this often and no more.
func TestAllocations(t *testing.T) {
	src := []byte(refundCall)
	v := parse(t, refundCall)
	amount, _ := v.Lookup("params", "arguments", "amount")
	limit, buf := number(t, "100"), make([]byte, 0, 1024)
	names := canon.NewNameSet([]string{"order_id", "amount", "currency", "confirm", "tags", "note"})
	args, _ := v.Lookup("params", "arguments")
	cases := map[string]struct {
		most float64
		run  func()
	}{
		"parse":      {5, func() { _, _ = canon.Parse(src, canon.Limits{}) }},
		"digest":     {1, func() { canon.Digest(v) }},
		"lookup":     {0, func() { v.Pointer("/params/arguments/note") }},
		"compare":    {0, func() { amount.Number().Cmp(limit) }},
		"equal":      {0, func() { canon.Equal(v, v) }},
		"names":      {0, func() { names.Clash(args) }},
		"fold lower": {0, func() { canon.Fold("progress_token-1") }},
		"walk":       {0, func() { walk(v) }},
		"write":      {0, func() { buf = canon.Append(buf[:0], v) }},
	}
	for name, c := range cases {
		if got := testing.AllocsPerRun(100, c.run); got > c.most {
			t.Errorf("%s: %v allocations, want at most %v", name, got, c.most)
		}
	}
}

func walk(v canon.Value) (n int) {
	for _, m := range v.Fields() {
		n += walk(m)
	}
	for _, e := range v.Items() {
		n += walk(e)
	}
	return n + v.Len()
}

// hostileObjects are objects of just under 1 MiB whose keys are chosen against
// the ways to find duplicates.
func hostileObjects(keys int) map[string]string {
	prefix := strings.Repeat("p", max(1, 900_000/keys-18))
	return map[string]string{
		"short":         manyKeys(keys, func(i int) string { return fmt.Sprintf("%x", i) }),
		"same sketch":   manyKeys(keys, func(i int) string { return fmt.Sprintf("a%05xa%05xa", i, 0xfffff-i) }),
		"shared prefix": manyKeys(keys/4, func(i int) string { return prefix + fmt.Sprintf("%06x", i) }),
		"folded":        manyKeys(keys/4, func(i int) string { return fmt.Sprintf("É\u200bK%06x", i) }),
		"escaped":       manyKeys(keys/4, func(i int) string { return fmt.Sprintf(`\u00e9\u212a%06x`, i) }),
		"few long":      manyKeys(15, func(i int) string { return fmt.Sprintf("%s%x", strings.Repeat("é", 30_000), i) }),
		"nested": "[" + strings.TrimSuffix(strings.Repeat(
			manyKeys(20, func(i int) string { return fmt.Sprintf("k%d", i) })+",", keys/25), ",") + "]",
	}
}

// Texts of about 1 MiB with tens of thousands of keys are read, found in, and
// written, and one duplicate at the very end is found.
func TestHostileObjects(t *testing.T) {
	t.Parallel()
	for name, in := range hostileObjects(40_000) {
		v := parse(t, in)
		again := parse(t, string(canon.Append(nil, v)))
		if !canon.Equal(v, again) || canon.Digest(v) != canon.Digest(again) {
			t.Errorf("%s: not equal to its canonical form", name)
		}
		for key := range v.Fields() {
			twice := strings.TrimSuffix(in, "}") + `,"` + strings.ToLower(key) + `":0}`
			if _, err := canon.Parse([]byte(twice), canon.Limits{}); err == nil {
				t.Errorf("%s: a key that is there in capitals or twice was accepted", name)
			}
			break
		}
	}
}

func BenchmarkParse(b *testing.B) {
	src := []byte(refundCall)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := canon.Parse(src, canon.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParseStandard is the ruler: the same text through encoding/json, which
// checks less.
func BenchmarkParseStandard(b *testing.B) {
	src := []byte(refundCall)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		dec := json.NewDecoder(bytes.NewReader(src))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseAndDigest(b *testing.B) {
	src := []byte(refundCall)
	b.ReportAllocs()
	for b.Loop() {
		v, err := canon.Parse(src, canon.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		canon.Digest(v)
	}
}

func BenchmarkDigest(b *testing.B) {
	v := parse(b, refundCall)
	b.ReportAllocs()
	for b.Loop() {
		canon.Digest(v)
	}
}

func BenchmarkAppend(b *testing.B) {
	v := parse(b, refundCall)
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		buf = canon.Append(buf[:0], v)
	}
}

func BenchmarkPointer(b *testing.B) {
	v := parse(b, refundCall)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := v.Pointer("/params/arguments/amount"); !ok {
			b.Fatal("not found")
		}
	}
}

func BenchmarkNumberCmp(b *testing.B) {
	v, _ := parse(b, refundCall).Pointer("/params/arguments/amount")
	limit := number(b, "100")
	b.ReportAllocs()
	for b.Loop() {
		if v.Number().Cmp(limit) >= 0 {
			b.Fatal("99.95 is over 100")
		}
	}
}

func BenchmarkNameSetClash(b *testing.B) {
	args, _ := parse(b, refundCall).Pointer("/params/arguments")
	names := canon.NewNameSet([]string{"order_id", "amount", "currency", "confirm", "tags", "note"})
	b.ReportAllocs()
	for b.Loop() {
		if _, _, found := names.Clash(args); found {
			b.Fatal("clash")
		}
	}
}

// BenchmarkHostile shows the cost of a key: it must not grow with their number.
func BenchmarkHostile(b *testing.B) {
	for _, keys := range []int{4_000, 40_000} {
		for name, in := range hostileObjects(keys) {
			v := parse(b, in)
			b.Run(fmt.Sprintf("%s/%d", name, keys), func(b *testing.B) {
				src := []byte(in)
				for b.Loop() {
					if _, err := canon.Parse(src, canon.Limits{}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(countKeys(v)), "ns/key")
			})
		}
	}
}

func countKeys(v canon.Value) (n int) {
	for _, m := range v.Fields() {
		n += 1 + countKeys(m)
	}
	for _, e := range v.Items() {
		n += countKeys(e)
	}
	return n
}

func BenchmarkNumberText(b *testing.B) {
	src := []byte("[" + strings.TrimSuffix(strings.Repeat("0.30000000000000004,", 1000), ",") + "]")
	for b.Loop() {
		if _, err := canon.Parse(src, canon.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/number")
}
