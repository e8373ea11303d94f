// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package roles_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/workbench/roles"
)

// guessed are the guesses for a tool whose arguments are given by name and
// schema, as the catalog would write them.
func guessed(t *testing.T, tool, description, properties string) map[string]string {
	t.Helper()
	def := tv.Definition{Name: tool, Server: strings.Split(tool, "/")[0], Description: description, InputSchema: json.RawMessage(`{"properties":` + properties + `}`)}
	text := roles.Proposals{{Tool: tool, Guesses: roles.Tool(&def)}}.Overlay()
	out := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		if pointer, role, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && strings.HasPrefix(pointer, `"/`) {
			out[strings.Trim(pointer, `"`)] = role
		}
	}
	return out
}

func TestGuesses(t *testing.T) {
	t.Parallel()
	const text = `{"type":"string"}`
	for _, c := range []struct {
		tool, description, properties string
		want                          map[string]string
	}{
		{"fs/read_file", "", `{"path":` + text + `,"encoding":` + text + `}`, map[string]string{"/path": "{role: path, uses: [read]}"}},
		{"fs/writeFile", "", `{"filePath":` + text + `,"content":` + text + `}`, map[string]string{"/filePath": "{role: path, uses: [write]}"}},
		{"fs/edit_file", "", `{"path":` + text + `}`, map[string]string{"/path": "{role: path, uses: [read, write]}"}},
		{"fs/move_file", "", `{"source":` + text + `,"destination":` + text + `}`, map[string]string{"/source": "{role: path, uses: [read, delete]}", "/destination": "{role: path, uses: [write]}"}},
		{"fs/read_multiple_files", "", `{"paths":{"type":"array","items":` + text + `}}`, map[string]string{"/paths": "{role: path, uses: [read]}"}},
		{"fs/batch", "", `{"files":{"type":"array","items":{"type":"object","properties":{"path":` + text + `}}}}`, map[string]string{"/files/*/path": "path"}},
		{"fs/count", "", `{"file_count":{"type":"integer"},"file_id":` + text + `}`, map[string]string{}},
		{"sh/execute_command", "Runs a shell command", `{"command":` + text + `,"workingDir":` + text + `}`, map[string]string{"/command": `{role: shell, baseFrom: "/workingDir"}`, "/workingDir": "path"}},
		{"git/tag", "", `{"command":` + text + `}`, map[string]string{}},
		{"postgres/query", "", `{"sql":` + text + `}`, map[string]string{"/sql": "sql:postgres"}},
		{"db/run", "Queries a MariaDB database", `{"query":` + text + `}`, map[string]string{"/query": "sql:mysql"}},
		{"web/search", "", `{"query":` + text + `}`, map[string]string{}},
		{"web/fetch", "", `{"url":` + text + `,"address":{"type":"string","format":"uri"}}`, map[string]string{"/url": "url", "/address": "url"}},
		{"mail/send_email", "", `{"to":{"type":"array","items":` + text + `},"cc":` + text + `,"subject":` + text + `,"from":` + text + `}`, map[string]string{"/to": "{role: email, field: to}", "/cc": "{role: email, field: cc}", "/subject": "header"}},
		{"x/y", "", `{"contact":{"type":"string","format":"email"}}`, map[string]string{"/contact": "email"}},
		{"travel/route", "", `{"to":` + text + `,"from":` + text + `}`, map[string]string{}},
		{"shop/refund", "", `{"amount":{"type":"number"},"currency":` + text + `}`, map[string]string{"/amount": `{role: money, currencyFrom: "/currency"}`}},
		{"shop/charge", "", `{"total_cents":{"type":"integer"}}`, map[string]string{"/total_cents": "{role: money, minor: true}"}},
		{"py/run_python", "", `{"code":` + text + `}`, map[string]string{"/code": "code:python"}},
		{"shop/coupon", "", `{"code":` + text + `}`, map[string]string{}},
		{"odd/one", "", `{"a/b~path":` + text + `,"path":true,"url":{"type":7}}`, map[string]string{"/a~1b~0path": "path", "/path": "path"}},
	} {
		if diff := cmp.Diff(c.want, guessed(t, c.tool, c.description, c.properties)); diff != "" {
			t.Errorf("%s %s\n%s", c.tool, c.properties, diff)
		}
	}
}

// TestOverlayLoads: what is printed is a catalog, whatever a server writes.
func TestOverlayLoads(t *testing.T) {
	t.Parallel()
	def := tv.Definition{Name: "s/run_command", Server: "s", Description: "runs a shell\n  x: y", InputSchema: json.RawMessage(
		`{"properties":{"command":{"type":"string"},"cwd\n# x":{"type":"string"},"subject: *a":{},"path":{},"sql":{},"amount":{},"currency":{}}}`)}
	text := roles.Proposals{{Tool: def.Name, Guesses: roles.Tool(&def)}, {Tool: "s/none"}}.Overlay()
	if _, err := catalog.ParseOverlay("proposed.yaml", []byte(text)); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	if strings.Contains(text, "s/none") {
		t.Error("a tool without guesses is listed")
	}
}

// TestGivenRolesAreLeftOut: what the catalog says already is not proposed again.
func TestGivenRolesAreLeftOut(t *testing.T) {
	t.Parallel()
	def := tv.Definition{Name: "s/fetch", Server: "s", Roles: map[string]tv.Role{"/url": {Kind: tv.RoleURL}}, InputSchema: json.RawMessage(`{"properties":{"url":{"type":"string"}}}`)}
	if got := (roles.Proposals{{Tool: def.Name, Guesses: roles.Tool(&def)}}).Overlay(); got != "" {
		t.Errorf("proposed %s", got)
	}
}

// FuzzTool: no schema breaks the guessing, and what is printed is a catalog.
func FuzzTool(f *testing.F) {
	for _, seed := range []string{`{"properties":{"path":{"type":["string","null"]}}}`, `{"properties":[],"items":7}`, `{"properties":{"a":{"items":{"properties":{"url":{"format":[]}}}}}}`} {
		f.Add("s/send_email", seed)
	}
	f.Fuzz(func(t *testing.T, name, schema string) {
		def := tv.Definition{Name: name, Server: "s", InputSchema: json.RawMessage(schema)}
		text := roles.Proposals{{Tool: "s/x", Guesses: roles.Tool(&def)}}.Overlay()
		if text == "" {
			return
		}
		if _, err := catalog.ParseOverlay("proposed.yaml", []byte(text)); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}
