// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
)

func TestQueryMatches(t *testing.T) {
	t.Parallel()
	r := full()
	for name, c := range map[string]struct {
		q    audit.Query
		want bool
	}{
		"nothing asked":      {audit.Query{}, true},
		"since then":         {audit.Query{Since: r.At}, true},
		"since later":        {audit.Query{Since: r.At.Add(time.Microsecond)}, false},
		"until then":         {audit.Query{Until: r.At}, false},
		"until later":        {audit.Query{Until: r.At.Add(time.Microsecond)}, true},
		"call":               {audit.Query{Call: "c1"}, true},
		"caller's id":        {audit.Query{Call: "call_1"}, true},
		"other call":         {audit.Query{Call: "c"}, false},
		"tool":               {audit.Query{Tool: "orders/refund"}, true},
		"tools of a server":  {audit.Query{Tool: "orders/*"}, true},
		"all tools":          {audit.Query{Tool: "*"}, true},
		"start of a name":    {audit.Query{Tool: "orders/"}, false},
		"other server":       {audit.Query{Tool: "files/*"}, false},
		"subject":            {audit.Query{Subject: "agent:support"}, true},
		"user":               {audit.Query{Subject: "eva"}, true},
		"other subject":      {audit.Query{Subject: "agent"}, false},
		"session":            {audit.Query{Session: "s1"}, true},
		"other session":      {audit.Query{Session: "s2"}, false},
		"verdict":            {audit.Query{Verdict: "ask"}, true},
		"verdict of a rule":  {audit.Query{Verdict: "deny"}, false},
		"code":               {audit.Query{Code: tv.ConfirmationRequired}, true},
		"other code":         {audit.Query{Code: tv.PolicyDenied}, false},
		"kind":               {audit.Query{Kind: tv.RecordDecision}, true},
		"other kind":         {audit.Query{Kind: tv.RecordOutcome}, false},
		"approval":           {audit.Query{Approval: "a1"}, true},
		"other approval":     {audit.Query{Approval: "a"}, false},
		"run":                {audit.Query{Mention: audit.Mention{Run: "r1"}}, true},
		"other run":          {audit.Query{Mention: audit.Mention{Run: "r"}}, false},
		"approval or grant":  {audit.Query{Mention: audit.Mention{Ref: "a1"}}, true},
		"neither":            {audit.Query{Mention: audit.Mention{Ref: "a"}}, false},
		"key":                {audit.Query{Mention: audit.Mention{Key: "digest:d"}}, true},
		"other key":          {audit.Query{Mention: audit.Mention{Key: "digest:"}}, false},
		"a text":             {audit.Query{Mention: audit.Mention{Text: "BIG-refund"}}, true},
		"an argument":        {audit.Query{Mention: audit.Mention{Text: "12.50"}}, true},
		"a quoted text":      {audit.Query{Mention: audit.Mention{Text: `C "Q"`}}, true},
		"a field's name":     {audit.Query{Mention: audit.Mention{Text: "policyHash"}}, false},
		"another text":       {audit.Query{Mention: audit.Mention{Text: "small"}}, false},
		"all at once":        {audit.Query{Tool: "orders/*", Verdict: "ask", Subject: "eva", Call: "c1"}, true},
		"all but one":        {audit.Query{Tool: "orders/*", Verdict: "allow", Subject: "eva", Call: "c1"}, false},
		"no page's business": {audit.Query{Page: audit.Page{From: 99, Before: 1, Limit: 1}}, true},
	} {
		if got := c.q.Matches(&r); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
		n, got, err := c.q.Scan().Match(leafOf(t, 17, r))
		if err != nil || got != c.want {
			t.Errorf("%s: its scan got %v (%v), want %v", name, got, err, c.want)
		}
		if got && n.Seq != 17 {
			t.Errorf("%s: the scan says place %d", name, n.Seq)
		}
	}
}

// TestScanSkipsNothing: the short cut over a leaf's bytes never loses a record
// that matches, whatever text is in it.
func TestScanSkipsNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := genRecord(rt)
		n, err := audit.Decode(leafOf(t, 1, r))
		if err != nil {
			rt.Fatal(err)
		}
		q := audit.Query{Call: n.CallID, Tool: n.Tool, Kind: n.Kind, Mention: audit.Mention{Run: n.Run, Key: n.Key, Text: strings.ToUpper(n.Detail)}}
		if small := strings.ToLower(n.Detail); strings.ToLower(q.Text) != small {
			q.Text = small // letters whose capitals are others' too
		}
		if _, ok, err := q.Scan().Match(leafOf(t, 1, r)); !ok || err != nil {
			rt.Fatalf("%+v is not found by its own fields (%v)", n, err)
		}
	})
}

func TestScanTellsDamage(t *testing.T) {
	t.Parallel()
	if _, _, err := (audit.Query{}).Scan().Match([]byte("{}")); err == nil {
		t.Error("bytes that are no record were passed over in silence")
	}
}
