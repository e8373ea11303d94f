// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
)

// Everything in a proposal that its sender chooses ends in a record: none of it
// may carry a secret, a terminal escape or a megabyte there.
func TestNothingThatTheCallerChoosesReachesARecordAsItIs(t *testing.T) {
	t.Parallel()
	const secret = "first line\nsecond line of a held secret"
	for name, text := range map[string]string{
		"plain":              "x " + secret,
		"at the edge":        strings.Repeat("x", 250) + secret,
		"behind a long text": strings.Repeat("x", 8<<10-10) + secret,
		"between secrets":    strings.Repeat(secret, 200) + secret[:20],
		"a terminal escape":  "x\x1b[2J\u202e" + secret,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, func(c *tv.Config) { c.Redactor = gatetest.Redactor{Secret: secret} })
			p := call("cancel", `{"id":"A1"}`)
			p.Session, p.Model, p.Run.ID, p.ID, p.Trace = text, text, text, text, text
			r.want(r.do(p), tv.ConfirmationRequired)
			p.Tool = "server/" + text
			r.want(r.do(p), tv.UnknownTool)
			for _, rec := range r.records() {
				b, err := json.Marshal(rec)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(b), "first") || strings.Contains(string(b), "second") {
					t.Errorf("a part of the secret is in the record: %s", b)
				}
				for _, field := range []string{rec.Session, rec.Model, rec.Run, rec.CallerID, rec.Trace, rec.Tool} {
					if len(field) > 300 || strings.ContainsAny(field, "\x1b\n\u202e") {
						t.Errorf("kept as it is: %.40q of %d bytes", field, len(field))
					}
				}
			}
		})
	}
}

func TestToolErrorIsHiddenBeforeItIsCut(t *testing.T) {
	t.Parallel()
	const secret = "a secret that the gate holds"
	r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{cancelTool()}, func(c *tv.Config) { c.Redactor = gatetest.Redactor{Secret: secret} })
	r.exec.Func = func(context.Context, tv.Permit) tv.Outcome {
		return tv.Outcome{Status: tv.Failed, Code: tv.ToolError, Message: strings.Repeat("x", 1990) + secret + strings.Repeat("y", 100)}
	}
	res := r.do(call("cancel", `{"id":"A1"}`))
	r.want(res, tv.ToolError)
	if m := res.Error.Message; strings.Contains(m, "a secret") || len(m) > 2010 {
		t.Errorf("message of %d bytes: …%q", len(m), m[len(m)-40:])
	}
}
