// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"fmt"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// BenchmarkInbox is what the console's inbox reads, with 10 000 approvals that
// wait: its first page and the number in its title.
func BenchmarkInbox(b *testing.B) {
	store, err := sqlite.Open(b.Context(), sqlite.Config{Dir: b.TempDir(), Node: "n", Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	desk, err := approval.New(approval.Config{Store: store, Now: time.Now, NewID: secret.NewID, Text: func(s string) string { return s }, Approvers: []string{"role:ops"}})
	if err != nil {
		b.Fatal(err)
	}
	tool := gatetest.Tool("refund", func(d *tv.Definition) { d.Safety, d.Summary = tv.Destructive, "Refund {amount}" })
	for n := range 100 {
		c := tv.Changes{Records: []tv.Record{{Kind: tv.RecordAdmin, At: time.Now()}}}
		for i := range 100 {
			a := desk.Draft(tv.Question{
				Call: &tv.Call{Tool: tool.Name(), Subject: tv.Subject{ID: "agent", Kind: tv.Agent, User: "clerk"}, Bytes: []byte(`{}`)}, Tool: tool,
				Digest: "d", Key: fmt.Sprint(n, i), Redacted: []byte(`{"amount":"9.50"}`), Effects: []tv.Effect{{Kind: tv.EffectSpend, Amount: "9.5", Currency: "EUR"}},
			})
			c.Approvals = append(c.Approvals, tv.ApprovalChange{To: a})
		}
		if err := store.Commit(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	for name, by := range map[string]tv.Subject{
		"all for me":  {ID: "ada", User: "ada", Kind: tv.Person, Roles: []string{"ops"}},
		"none for me": {ID: "ada", User: "ada", Kind: tv.Person, Roles: []string{"finance", "approver", "lead"}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, limit := range []int{26, 100} {
					all, err := desk.List(b.Context(), by, tv.ApprovalQuery{State: tv.ApprovalPending, Limit: limit})
					if err != nil {
						b.Fatal(err)
					}
					if len(all) < limit {
						break // all of them: they are not looked for twice
					}
				}
			}
		})
	}
}
