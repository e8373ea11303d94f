// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 123_000, time.UTC)

// full has every field set.
func full() tv.Record {
	return tv.Record{
		Kind: tv.RecordDecision, At: noon, CallID: "c1", CallerID: "call_1", Trace: "00-4bf9-01", Session: "s1", Run: "r1",
		ReadOnlyRun: true, Subject: "agent:support", User: "eva", Agent: "support", Model: "m-1", Door: tv.DoorMCPHTTP,
		Tool: "orders/refund", ToolHash: "th", Arguments: json.RawMessage(`{"amount":12.50,"note":"<b>&"}`), ArgumentsMAC: "mac",
		Verdict: "ask", Code: tv.ConfirmationRequired, Rule: "ask-big-refund",
		Rules:         []tv.Match{{Rule: "ask-big-refund", Verdict: tv.Ask}, {Rule: "x", Verdict: tv.Deny, Unknown: true}},
		PolicyVersion: "v1", PolicyHash: "ph", Approval: "a1", ApprovalState: tv.ApprovalPending, Key: "digest:d",
		Claim: tv.ClaimWaiting, Took: 1500 * time.Nanosecond, Detail: "a\nb\u2028c \"q\"",
	}
}

func leafOf(t testing.TB, seq int64, r tv.Record) []byte {
	t.Helper()
	body, err := audit.Body(r)
	if err != nil {
		t.Fatal(err)
	}
	return audit.Leaf(seq, body)
}

// TestLeafIsPinned holds the stored form still: what was hashed years ago must
// read the same then as now. A new field of a record is fine as long as this
// leaf stays; any other change needs a new version of the form.
func TestLeafIsPinned(t *testing.T) {
	t.Parallel()
	want := `{"v":1,"seq":17,"kind":"decision","at":"2026-11-30T12:00:00.000123Z","callId":"c1","callerId":"call_1",` +
		`"trace":"00-4bf9-01","session":"s1","run":"r1","readOnlyRun":true,"subject":"agent:support","user":"eva",` +
		`"agent":"support","model":"m-1","door":"mcp-http","tool":"orders/refund","toolHash":"th",` +
		`"arguments":{"amount":12.50,"note":"\u003cb\u003e\u0026"},"argumentsMac":"mac","verdict":"ask",` +
		`"code":"CONFIRMATION_REQUIRED","rule":"ask-big-refund","rules":[{"rule":"ask-big-refund","verdict":"ask"},` +
		`{"rule":"x","verdict":"deny","unknown":true}],"policyVersion":"v1","policyHash":"ph","approval":"a1",` +
		`"approvalState":"pending","key":"digest:d","claim":"waiting","took":1500,"detail":"a\nb\u2028c \"q\""}`
	if d := cmp.Diff(want, string(leafOf(t, 17, full()))); d != "" {
		t.Error(d)
	}
	small := `{"v":1,"seq":0,"kind":"admin","at":"2026-11-30T12:00:00.000123Z"}`
	if d := cmp.Diff(small, string(leafOf(t, 0, tv.Record{Kind: tv.RecordAdmin, At: noon}))); d != "" {
		t.Error(d)
	}
}

func TestDecodeReadsBack(t *testing.T) {
	t.Parallel()
	got, err := audit.Decode(leafOf(t, 17, full()))
	if err != nil {
		t.Fatal(err)
	}
	want := full()
	want.Arguments = json.RawMessage(`{"amount":12.50,"note":"\u003cb\u003e\u0026"}`)
	if d := cmp.Diff(audit.Numbered{Seq: 17, Record: want}, got); d != "" {
		t.Error(d)
	}
}

// genRecord makes records out of hostile text.
func genRecord(t *rapid.T) tv.Record {
	text := rapid.String()
	r := tv.Record{
		Kind: rapid.SampledFrom([]tv.RecordKind{tv.RecordDecision, tv.RecordOutcome, tv.RecordApproval, tv.RecordReplay, tv.RecordAdmin}).Draw(t, "kind"),
		At: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).
			In(time.FixedZone("z", rapid.IntRange(-50000, 50000).Draw(t, "zone"))),
		CallID: text.Draw(t, "call"), Tool: text.Draw(t, "tool"), Detail: text.Draw(t, "detail"), Model: string(rapid.SliceOf(rapid.Byte()).Draw(t, "model")),
		Took: time.Duration(rapid.Int64().Draw(t, "took")),
	}
	if rapid.Bool().Draw(t, "arguments") {
		b, err := json.Marshal(map[string]string{text.Draw(t, "name"): text.Draw(t, "value")})
		if err != nil {
			t.Fatal(err)
		}
		r.Arguments = append(append([]byte(" "), b...), '\n')
	}
	return r
}

func TestOneRecordOneLeaf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seq := rapid.Int64Range(0, 1<<60).Draw(t, "seq")
		body, err := audit.Body(genRecord(t))
		if err != nil {
			t.Fatal(err)
		}
		leaf := audit.Leaf(seq, body)
		n, err := audit.Decode(leaf)
		if err != nil {
			t.Fatalf("%s: %v", leaf, err)
		}
		again, err := audit.Body(n.Record)
		if err != nil || n.Seq != seq || !bytes.Equal(audit.Leaf(n.Seq, again), leaf) {
			t.Fatalf("%s: read back and written again it is %s (%v)", leaf, again, err)
		}
	})
}

func TestDecodeRefusesOtherForms(t *testing.T) {
	t.Parallel()
	good := string(leafOf(t, 17, full()))
	for why, bad := range map[string]string{
		"nothing":           "",
		"not JSON":          "{",
		"an array":          "[]",
		"white space":       strings.Replace(good, `,"at"`, `, "at"`, 1),
		"data after it":     good + " {}",
		"unknown field":     strings.Replace(good, `"callId"`, `"callid2"`, 1),
		"other case":        strings.Replace(good, `"callId"`, `"CALLID"`, 1),
		"a field twice":     strings.Replace(good, `"callId":"c1"`, `"callId":"c0","callId":"c1"`, 1),
		"other order":       strings.Replace(strings.Replace(good, `"session":"s1",`, "", 1), `"user"`, `"session":"s1","user"`, 1),
		"escaped otherwise": strings.Replace(good, `"s1"`, `"\u0073\u0031"`, 1),
		"empty field":       strings.Replace(good, `"session":"s1"`, `"session":""`, 1),
		"other zone":        strings.Replace(good, "12:00:00.000123Z", "13:00:00.000123+01:00", 1),
		"nanoseconds":       strings.Replace(good, "00.000123Z", "00.000123001Z", 1),
		"other version":     strings.Replace(good, `"v":1`, `"v":2`, 1),
		"no version":        strings.Replace(good, `"v":1,`, "", 1),
		"negative place":    strings.Replace(good, `"seq":17`, `"seq":-1`, 1),
		"place as a text":   strings.Replace(good, `"seq":17`, `"seq":"17"`, 1),
		"unknown kind":      strings.Replace(good, `"kind":"decision"`, `"kind":"gossip"`, 1),
		"null":              "null",
	} {
		if bad == good {
			t.Fatalf("%s: the case changes nothing", why)
		}
		if _, err := audit.Decode([]byte(bad)); err == nil {
			t.Errorf("%s was taken: %s", why, bad)
		}
	}
}

func TestBodyRefuses(t *testing.T) {
	t.Parallel()
	for why, spoil := range map[string]func(*tv.Record){
		"no kind":          func(r *tv.Record) { r.Kind = "" },
		"unknown kind":     func(r *tv.Record) { r.Kind = `decision","x":"` },
		"no time":          func(r *tv.Record) { r.At = time.Time{} },
		"broken arguments": func(r *tv.Record) { r.Arguments = json.RawMessage(`{"a":1}}`) },
		"far too long":     func(r *tv.Record) { r.Detail = strings.Repeat("x", 1<<20) },
		"a year of 5 digits": func(r *tv.Record) {
			r.At = time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)
		},
	} {
		r := full()
		spoil(&r)
		if _, err := audit.Body(r); err == nil {
			t.Errorf("%s was taken", why)
		}
	}
}

// FuzzDecode: what is read is written again as the same bytes, and nothing
// panics.
func FuzzDecode(f *testing.F) {
	f.Add(leafOf(f, 17, full()))
	f.Add(leafOf(f, 0, tv.Record{Kind: tv.RecordAdmin, At: noon}))
	f.Add([]byte(`{"v":1,"seq":0,"kind":"admin","at":"2026-11-30T12:00:00Z","arguments":{"a":[1,2.0,"\ud83d\ude00"]}}`))
	f.Add([]byte(`{"v":1,"seq":00,"kind":"admin","at":"2026-11-30T12:00:00.10Z"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := audit.Decode(b)
		if err != nil {
			return
		}
		if got := leafOf(t, n.Seq, n.Record); !bytes.Equal(got, b) {
			t.Errorf("%q was read, and is written %q", b, got)
		}
	})
}
