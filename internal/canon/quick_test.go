// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"testing"

	"github.com/toolverdict/toolverdict/internal/canon"
)

const call300 = `{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"refund","arguments":{"order_id":"A1001","amount":99.95,"currency":"USD","confirm":false,"tags":["late","damaged"],"note":"the customer\u0027s parcel arrived broken"},"_meta":{"progressToken":"p-1","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}`

func BenchmarkParse(b *testing.B) {
	src := []byte(call300)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := canon.Parse(src, canon.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	v, err := canon.Parse([]byte(call300), canon.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		canon.Digest(v)
	}
}

func TestQuick(t *testing.T) {
	for _, s := range []string{`{"a":1,"b":[1,2.50,{"c":null}],"\u00e9":"\ud83d\ude00\n"}`, `1e21`, `1E300`, `0.000001`, `1e-7`, `9007199254740993`, `{"ab":1,"AB":2}`, `{"a":{"b":[1,{"k":1,"\u006b":2}]}}`, `010`, `-0`, `[1e400]`, `99.99999999999999999999`, "{\"a\":\"\x01\"}", `[1,]`} {
		c, err := canon.Canonicalize([]byte(s), canon.Limits{})
		t.Log(s, string(c), err)
	}
}
