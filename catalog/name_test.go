// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/catalog"
)

// announce writes one announced tool.
func announce(t testing.TB, members map[string]any) json.RawMessage {
	t.Helper()
	if _, ok := members["inputSchema"]; !ok {
		members["inputSchema"] = map[string]any{"type": "object"}
	}
	b, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func named(t testing.TB, names ...string) []json.RawMessage {
	t.Helper()
	var out []json.RawMessage
	for _, n := range names {
		out = append(out, announce(t, map[string]any{"name": n}))
	}
	return out
}

func build(t testing.TB, in catalog.Input) (*catalog.Catalog, catalog.Report) {
	t.Helper()
	c, r, err := catalog.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

// one builds a catalog of one server that pins at first sight.
func one(t testing.TB, tools ...json.RawMessage) (*catalog.Catalog, catalog.Report) {
	t.Helper()
	return build(t, catalog.Input{Servers: []catalog.Server{{Name: "s", Announced: tools, Pinning: catalog.PinFirstSight}}})
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"read_file", "search-docs.v2", "A", "query2", "查询订单", "注文を検索", "データー", "주문조회", "查询_order", "найти_заказ",
		"ζήτηση", "réserver", "חיפוש", "खोज", "x..y", "get__item", "_private",
	} {
		c, r := one(t, named(t, good)...)
		if _, ok := c.Tool("s/" + good); !ok {
			t.Errorf("%q is refused: %v", good, r.Tools)
		}
	}
	for bad, why := range map[string]string{
		"":                       "is empty",
		strings.Repeat("x", 129): "is longer than",
		"a/b":                    "U+002F",
		"toolverdictcanary":      "is kept for",
		"ToolverdictCanary":      "is kept for",
		"a b":                    "a space",
		" a":                     "a space",
		"a\u00a0b":               "a space",
		"a\nb":                   "a control character",
		"a\tb":                   "a control character",
		"a\x1b[2Kb":              "a control character",
		"a\u0085b":               "a control character",
		"a\x7f":                  "a control character",
		"a\u200bb":               "cannot be seen",
		"a\u200db":               "cannot be seen",
		"a\u2060b":               "cannot be seen",
		"\ufeffa":                "cannot be seen",
		"a\u00adb":               "cannot be seen",
		"a\u202eb":               "cannot be seen",
		"a\u2066b":               "cannot be seen",
		"a\u034fb":               "cannot be seen",
		"a\u3164b":               "cannot be seen",
		"a\ufe0f":                "cannot be seen",
		"a\U000e0041":            "cannot be seen",
		"a*":                     "not a letter",
		"@resources/read":        "not a letter",
		"group:x":                "not a letter",
		`a\b`:                    "not a letter",
		"a\"b":                   "not a letter",
		"a💥":                     "not a letter",
		"a\u0338b":               "belongs to no script",
		"a٣":                     "not a letter",
		"mcp__orders__refund":    "imitates",
		"MCP__orders__refund":    "imitates",
		"..":                     "a folder",
		"ｒead":                   "another spelling",
		"re\u0301server":         "belongs to no script", // not composed: the mark stands alone
		"ﬁle":                    "another spelling",
		"𝐫𝐞𝐚𝐝":                   "belongs to no script",
		"\u1112\u1161\u11ab":     "another spelling", // Hangul, not composed
		"B\u0430sh":              "mixes scripts",
		"paypаl":                 "mixes scripts",
		"orderѕ":                 "mixes scripts",
		"αdmin":                  "mixes scripts",
		"сору":                   "look like plain Latin",
		"ѕсоре":                  "look like plain Latin",
		"ΝΟΤΕ":                   "look like plain Latin",
		"rıght":                  "look like plain Latin",
		"ᴄopy":                   "look like plain Latin",
		"delete一user":            "look like plain Latin",
		"deleteーuser":            "look like plain Latin",
	} {
		c, r := one(t, named(t, bad)...)
		if len(r.Tools) != 1 || r.Tools[0].State != catalog.Refused || !strings.Contains(r.Tools[0].Reason, why) {
			t.Errorf("%q: got %+v, want a reason with %q", bad, r.Tools, why)
			continue
		}
		if _, ok := c.Tool("s/" + bad); ok && bad[0] != '@' {
			t.Errorf("%q can be called", bad)
		}
		if plain := catalog.Plain(r.Tools[0].Tool + r.Tools[0].Reason); plain != r.Tools[0].Tool+r.Tools[0].Reason {
			t.Errorf("%q: the report shows hidden characters: %q", bad, r.Tools[0].Tool)
		}
		if r.Tools[0].Seen.Hash != "" {
			t.Errorf("%q can be pinned", bad)
		}
	}
}

// A tool that takes the name of a method neither becomes it nor blocks it.
func TestToolNamedLikeMethod(t *testing.T) {
	t.Parallel()
	c, _ := one(t, named(t, "@resources/read")...)
	if reason, held := c.Quarantined("s/@resources/read"); held {
		t.Error(reason)
	}
	if tool, ok := c.Tool("s/@resources/read"); !ok || tool.Safety() != "read-only" {
		t.Error("the method is gone")
	}
}

func TestServerNames(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]bool{
		"orders": true, "a.b-c_d9": true, "": false, "a/b": false, "a__b": false, "a_": false, "_a": false, "ö": false,
		"@x": false, "a b": false, "a*": false, strings.Repeat("x", 65): false, "mcp\u200b": false,
	} {
		_, _, err := catalog.Build(catalog.Input{Servers: []catalog.Server{{Name: name}}})
		if (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, twin := range []string{"orders", "0rders", "Orders"} {
		if _, _, err := catalog.Build(catalog.Input{Servers: []catalog.Server{{Name: "orders"}, {Name: twin}}}); err == nil {
			t.Errorf("a second server %q", twin)
		}
	}
}

// Two names of one server that look alike both wait for review, except that a
// pinned one stays.
func TestLookalikes(t *testing.T) {
	t.Parallel()
	for _, twin := range []string{"read_fi1e", "READ_FILE", "read-file", "read.file", "read_flle"} {
		_, r := one(t, named(t, "read_file", twin)...)
		for _, e := range r.Tools {
			if e.State != catalog.New || !strings.Contains(e.Reason, "looks like") {
				t.Errorf("%q: %+v", twin, e)
			}
		}
		if len(r.Taken) != 0 {
			t.Errorf("%q: pinned at first sight", twin)
		}
	}
	_, first := one(t, named(t, "read_file")...)
	c, r := build(t, catalog.Input{
		Servers: []catalog.Server{{Name: "s", Announced: named(t, "read_fi1e", "read_file"), Pinning: catalog.PinFirstSight}},
		Pins:    first.Taken,
	})
	if _, ok := c.Tool("s/read_file"); !ok {
		t.Error("the pinned tool is gone")
	}
	if reason, held := c.Quarantined("s/read_fi1e"); !held || !strings.Contains(reason, "s/read_file") {
		t.Errorf("the twin: %q %v", reason, held)
	}
	pins, err := r.Accept([]catalog.Review{{Tool: "s/read_fi1e"}}, "u_1", at())
	if err != nil {
		t.Fatal(err)
	}
	c, _ = build(t, catalog.Input{
		Servers: []catalog.Server{{Name: "s", Announced: named(t, "read_fi1e", "read_file")}},
		Pins:    append(pins, first.Taken...),
	})
	for _, name := range []string{"s/read_fi1e", "s/read_file"} {
		if _, ok := c.Tool(name); !ok {
			t.Errorf("%s is not listed though somebody pinned it", name)
		}
	}
}

func TestRepeatedName(t *testing.T) {
	t.Parallel()
	c, r := one(t, announce(t, map[string]any{"name": "a", "description": "1"}), named(t, "b")[0],
		announce(t, map[string]any{"name": "a", "description": "2"}))
	if _, ok := c.Tool("s/a"); ok || len(r.Tools) != 2 || r.Tools[0].State != catalog.Refused || !strings.Contains(r.Tools[0].Reason, "more than once") {
		t.Errorf("%+v", r.Tools)
	}
	if _, ok := c.Tool("s/b"); !ok {
		t.Error("the other tool is gone too")
	}
}

// sharedCases are kept beside the repository where it is developed.
const sharedCases = "../../shared/cases/shared.jsonl"

func TestSharedRegistrations(t *testing.T) {
	t.Parallel()
	f, err := os.Open(sharedCases)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	ran := 0
	for lines.Scan() {
		var c struct {
			ID, Kind, Expect, Why string
			Call                  struct {
				Tool string
				Args struct{ Server, Name, Description string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil || c.Kind != "toolname" || c.Call.Tool != "$register" {
			continue
		}
		ran++
		a := c.Call.Args
		cat, r := build(t, catalog.Input{Servers: []catalog.Server{{
			Name: a.Server, Pinning: catalog.PinFirstSight,
			Announced: []json.RawMessage{announce(t, map[string]any{"name": a.Name, "description": a.Description})},
		}}})
		if _, ok := cat.Tool(a.Server + "/" + a.Name); ok != (c.Expect == "allow") {
			t.Errorf("%s (%s): want %s, got %+v", c.ID, c.Why, c.Expect, r.Tools)
		}
	}
	if ran == 0 {
		t.Error("the shared cases have no registration")
	}
}

// Why a tool is held back may quote its server: with every character seen.
func TestReasonsHideNothing(t *testing.T) {
	t.Parallel()
	for _, def := range []string{`{"name":"a","inputSchema":{"type":"no\u202etype"}}`, `{"name":"a","inputSchema":{"\u001b[31mx":1,"$ref":"#/\u200b"}}`} {
		c, _ := build(t, catalog.Input{Servers: []catalog.Server{{Name: "s", Announced: []json.RawMessage{json.RawMessage(def)}}}})
		reason, held := c.Quarantined("s/a")
		if !held || strings.ContainsAny(reason, "\u202e\u200b\x1b") {
			t.Errorf("%q %v", reason, held)
		}
	}
}
