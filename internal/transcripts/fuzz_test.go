// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/transcripts"
)

// hold holds a reader to what it promises of any bytes: it ends, finds the same each
// time, and what it tells are words of its own and whole JSON.
func hold(f *testing.F, a hookgate.Agent, whole bool) {
	f.Helper()
	files, err := filepath.Glob("testdata/sessions/" + string(a) + ".json*")
	if err != nil || len(files) == 0 {
		f.Fatalf("no session of %s was recorded: %v", a, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := transcripts.ReadFrom(a, whole, bytes.NewReader(text))
		again, errAgain := transcripts.ReadFrom(a, whole, bytes.NewReader(text))
		if diff := cmp.Diff(s, again); diff != "" || (err == nil) != (errAgain == nil) {
			t.Fatalf("%v, %v: %s", err, errAgain, diff)
		}
		for i := range s.Calls {
			c := &s.Calls[i]
			switch c.Answer {
			case transcripts.None, transcripts.Refused, transcripts.Failed, transcripts.Ran:
			default:
				t.Errorf("answer %q", c.Answer)
			}
			if c.Agent != a || c.Arguments != nil && !json.Valid(c.Arguments) {
				t.Errorf("%+v", c)
			}
		}
	})
}

func FuzzClaudeCode(f *testing.F) { hold(f, hookgate.ClaudeCode, false) }
func FuzzCodex(f *testing.F)      { hold(f, hookgate.Codex, false) }
func FuzzGemini(f *testing.F)     { hold(f, hookgate.Gemini, false) }
func FuzzQwen(f *testing.F)       { hold(f, hookgate.Qwen, false) }
func FuzzCopilot(f *testing.F)    { hold(f, hookgate.Copilot, false) }
func FuzzCline(f *testing.F)      { hold(f, hookgate.Cline, true) }

// FuzzOpenCode: of what is no part, there is no call.
func FuzzOpenCode(f *testing.F) {
	f.Add("ses_1", "1796053811084", `{"type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"ls"}}}`)
	f.Add("", "x", `{"type":"tool","state":{"status":"error","error":7,"input":[]}}`)
	f.Fuzz(func(t *testing.T, session, created, data string) {
		s := transcripts.OpenCodePart(session, created, data)
		if len(s.Calls) > 1 || len(s.Calls) == 1 && !json.Valid([]byte(data)) {
			t.Errorf("%+v", s)
		}
		for i := range s.Calls {
			if c := &s.Calls[i]; c.Session != session || c.Arguments != nil && !json.Valid(c.Arguments) {
				t.Errorf("%+v", c)
			}
		}
	})
}
