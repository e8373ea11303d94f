// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package path_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/path"
)

// sharedCase is one line of the cases that are kept beside a checkout.
type sharedCase struct {
	ID, Kind, Expect, Why string
	IntentID              string `json:"intent_id"`
	Call                  struct {
		Tool string
		Args map[string]string
	}
	Context struct{ Links map[string]string }
}

// uses is what the cases' tools do with a path, by the first word of their names.
var uses = map[string][]path.Use{
	"read": {path.Read}, "write": {path.Write}, "edit": {path.Read, path.Write}, "create": {path.Write}, "delete": {path.Delete}, "list": {path.List},
	"move": {path.Read, path.Write, path.Delete}, "copy": {path.Read, path.Write}, "append": {path.Write},
}

// allowed is what a user would write as a policy: every effect has to match.
func allowed(e tv.Effect) bool {
	if e.Kind == tv.EffectOpaque || e.Path != "/srv/app" && !strings.HasPrefix(e.Path, "/srv/app/") {
		return false
	}
	if e.Kind != tv.EffectRead && strings.HasPrefix(e.Path+"/", "/srv/app/.git/") {
		return false
	}
	return !strings.HasSuffix(e.Path, "/.env")
}

// TestSharedCases judges the cases by effects, where they are there to be read.
func TestSharedCases(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../../shared/cases/shared.jsonl")
	if err != nil {
		t.Log("no cases beside this checkout")
		return
	}
	defer f.Close()
	judged, lines := 0, bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c sharedCase
		var kind struct{ Kind string }
		if err := json.Unmarshal(lines.Bytes(), &kind); err != nil {
			t.Fatal(err)
		}
		if kind.Kind != "path" {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		verb, _, _ := strings.Cut(c.Call.Tool, "_")
		o := path.Options{Uses: uses[verb], Root: "/srv/app", Tree: links{"/srv/app", c.Context.Links, nil}}
		if c.IntentID == "rootci" {
			o.Windows = true // and macOS, whose names fold the same
		}
		judged++
		allow := true
		var seen []tv.Effect
		for _, text := range c.Call.Args {
			effects := path.Analyse(text, o)
			for _, e := range effects {
				allow = allow && allowed(e)
			}
			seen = append(seen, effects...)
		}
		if allow != (c.Expect == "allow") {
			t.Errorf("%s (%s) is to be %s: %s", c.ID, c.Why, c.Expect, show(seen))
		}
	}
	if err := lines.Err(); err != nil || judged == 0 {
		t.Errorf("%d cases judged, %v", judged, err)
	}
	t.Logf("%d cases judged", judged)
}
