// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package seal_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/guard/seal"
)

func key(c string) []byte { return []byte(strings.Repeat(c, seal.KeyBytes)) }

func TestWhatIsSealedIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := seal.Seal{Key: key("k"), Session: rapid.String().Draw(t, "session"), Tool: rapid.String().Draw(t, "tool")}
		resume, state := rapid.StringN(1, -1, -1).Draw(t, "resume"), rapid.String().Draw(t, "state")
		gotResume, gotState, err := s.Open(s.Close(resume, state))
		if err != nil || gotResume != resume || gotState != state {
			t.Errorf("got %q, %q, %v", gotResume, gotState, err)
		}
	})
}

func TestBrokenSeals(t *testing.T) {
	t.Parallel()
	s := seal.Seal{Key: key("k"), Session: "s", Tool: "t"}
	zeros, none := seal.Seal{Key: make([]byte, seal.KeyBytes), Session: "s", Tool: "t"}, seal.Seal{Session: "s", Tool: "t"}
	good := s.Close("resume", "mine")
	body, sum, _ := strings.Cut(strings.TrimPrefix(good, "toolverdict."), ".")
	for name, c := range map[string]struct {
		seal  seal.Seal
		state string
	}{
		"another key":     {seal.Seal{Key: key("x"), Session: "s", Tool: "t"}, good},
		"no key":          {seal.Seal{Session: "s", Tool: "t"}, good},
		"a key of zeros":  {zeros, zeros.Close("resume", "mine")},
		"no key at all":   {none, none.Close("resume", "mine")},
		"another session": {seal.Seal{Key: key("k"), Session: "x", Tool: "t"}, good},
		"another tool":    {seal.Seal{Key: key("k"), Session: "s", Tool: "x"}, good},
		"parts moved":     {seal.Seal{Key: key("k"), Session: "st", Tool: ""}, good},
		"no sum":          {s, "toolverdict." + body},
		"an empty sum":    {s, "toolverdict." + body + "."},
		"another body":    {s, "toolverdict.e30." + sum},
		"nothing":         {s, "toolverdict."},
	} {
		if resume, own, err := c.seal.Open(c.state); err == nil {
			t.Errorf("%s: opened as %q, %q", name, resume, own)
		}
	}
	if resume, own, err := s.Open("mine"); err != nil || resume != "" || own != "mine" {
		t.Errorf("the tool's own state: %q, %q, %v", resume, own, err)
	}
	if got := s.Close("", "mine"); got != "mine" {
		t.Errorf("nothing to carry on: %q", got)
	}
}
