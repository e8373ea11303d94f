// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"sync/atomic"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
)

// A yes to a script is a yes to what it said: changed since, or there where it
// was not, it is asked about anew, however its caller comes back.
func TestApprovedScriptThatChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		then, now string
		runs      int
	}{
		"the same":   {"aa", "aa", 1},
		"changed":    {"aa", "bb", 0},
		"made since": {"none", "bb", 0},
		"gone since": {"aa", "none", 0},
	} {
		for _, how := range []string{"by the same call", "with the id", "by the id alone"} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				var holds atomic.Value
				holds.Store(c.then)
				tool := gatetest.Tool("sh", func(d *tv.Definition) {
					d.Safety, d.Roles = tv.Destructive, map[string]tv.Role{"/cmd": {Kind: tv.RoleShell}}
				})
				r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, func(c *tv.Config) {
					c.Analyser = gatetest.Analyser(func(*tv.Tool, tv.Value) tv.Analysis {
						return tv.Analysis{Effects: []tv.Effect{{Kind: tv.EffectExecute, Source: "/cmd", Program: "/srv/run.sh", SHA256: holds.Load().(string)}}}
					})
				})
				p := call("sh", `{"cmd":"./run.sh"}`)
				id := r.approve(r.do(p))
				holds.Store(c.now)
				switch how {
				case "with the id":
					p.Confirmation = id
				case "by the id alone":
					p = tv.Proposal{Door: tv.DoorHTTP, Confirmation: id, Subject: caller, Session: p.Session}
				}
				res := r.do(p)
				r.wantRuns(c.runs)
				if c.runs == 0 && (code(res) != tv.ConfirmationRequired || res.Confirmation.ID == id) {
					t.Errorf("got %+v", res)
				}
			})
		}
	}
}
