// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
)

func at() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func overlay(t testing.TB, src string) *catalog.Overlay {
	t.Helper()
	o, err := catalog.ParseOverlay("catalog.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func mustTool(t testing.TB, c *catalog.Catalog, name string) *toolverdict.Tool {
	t.Helper()
	tool, ok := c.Tool(name)
	if !ok {
		reason, _ := c.Quarantined(name)
		t.Fatalf("%s is not listed: %s", name, reason)
	}
	return tool
}

// What a server says of its tool loosens nothing, unless it is trusted; and
// then only plain, consistent booleans do.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hints         string
		trusted       bool
		safety        toolverdict.Safety
		risk          toolverdict.Risk
		hasPermission bool
	}{
		{`{}`, false, "destructive", "high", true},
		{`{"readOnlyHint":true}`, false, "destructive", "high", true},
		{`{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false,"idempotentHint":true}`, false, "destructive", "high", true},
		{`{}`, true, "destructive", "high", true},
		{`{"readOnlyHint":true}`, true, "read-only", "low", false},
		{`{"readOnlyHint":true,"destructiveHint":false}`, true, "read-only", "low", false},
		{`{"readOnlyHint":true,"destructiveHint":true}`, true, "destructive", "high", true},
		{`{"readOnlyHint":"true"}`, true, "destructive", "high", true},
		{`{"readOnlyHint":1}`, true, "destructive", "high", true},
		{`{"readOnlyHint":null}`, true, "destructive", "high", true},
		{`{"readOnlyHint":false,"destructiveHint":false}`, true, "destructive", "medium", true},
		{`{"destructiveHint":false}`, true, "destructive", "medium", true},
		{`{"destructiveHint":"false"}`, true, "destructive", "high", true},
		{`{"destructiveHint":null}`, true, "destructive", "high", true},
		{`{"idempotentHint":true,"openWorldHint":false}`, true, "destructive", "high", true},
	} {
		raw := json.RawMessage(`{"name":"a","inputSchema":{"type":"object"},"annotations":` + c.hints + `}`)
		cat, _ := build(t, catalog.Input{Servers: []catalog.Server{{
			Name: "s", Announced: []json.RawMessage{raw}, Pinning: catalog.PinFirstSight, TrustAnnotations: c.trusted,
		}}})
		tool := mustTool(t, cat, "s/a")
		if tool.Safety() != c.safety || tool.Risk() != c.risk || (tool.Permission() == "tool:s/a") != c.hasPermission {
			t.Errorf("%s trusted %v: got %s, %s, %q", c.hints, c.trusted, tool.Safety(), tool.Risk(), tool.Permission())
		}
	}
}

func TestOverlayWins(t *testing.T) {
	t.Parallel()
	raw := announce(t, map[string]any{
		"name": "send", "title": "Send", "description": "Sends.", "annotations": map[string]any{"readOnlyHint": false},
		"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"to": map[string]any{}, "body": map[string]any{}}, "required": []string{"to"}},
	})
	c, r := build(t, catalog.Input{
		Servers: []catalog.Server{{Name: "s", Announced: []json.RawMessage{raw}, Pinning: catalog.PinFirstSight}},
		Overlays: []*catalog.Overlay{overlay(t, `
version: 1
tools:
  s/send:
    title: Post
    safety: read-only
    risk: medium
    permission: mail.send
    confirmation: always
    execution: sequential
    groups: [external_send]
    roles: {"/to": email}
    sensitive: [/body]
    summary: "Send to {to} and {cc}"
    impact: It leaves the house.
    idempotency: {key: [/to], window: 24h}
    timeout: 30s
    guidance: {INVALID_INPUT: Write an address.}
`)},
	})
	def := mustTool(t, c, "s/send").Definition()
	want := toolverdict.Definition{
		Name: "s/send", Server: "s", Title: "Post", Description: "Sends.",
		InputSchema: json.RawMessage(`{"properties":{"body":{},"to":{}},"required":["to"],"type":"object"}`),
		Annotations: json.RawMessage(`{"readOnlyHint":false}`),
		Safety:      "read-only", Risk: "medium", Permission: "mail.send", Confirmation: "always", Execution: "sequential",
		Groups: []string{"external_send"}, Roles: map[string]toolverdict.Role{"/to": {Kind: "email"}}, Sensitive: []string{"/body"},
		Summary: "Send to {to} and {cc}", Impact: "It leaves the house.",
		Idempotency: toolverdict.Idempotency{Key: []string{"/to"}, Window: 24 * time.Hour}, Timeout: 30 * time.Second,
		Guidance: map[toolverdict.Code]string{toolverdict.InvalidInput: "Write an address."},
	}
	if diff := cmp.Diff(want, def); diff != "" {
		t.Error(diff)
	}
	e, _ := r.Entry("s/send")
	if diff := cmp.Diff([]string{
		"the overlay calls it read-only, the server says that it is not", "the overlay's summary names {cc}, which is no argument",
	}, e.Warnings); diff != "" {
		t.Error(diff)
	}
}

// The overlay's timeout wins over the server's, which wins over none.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	cat, _ := build(t, catalog.Input{
		Servers: []catalog.Server{{
			Name: "s", Announced: []json.RawMessage{json.RawMessage(`{"name":"a"}`), json.RawMessage(`{"name":"b"}`)},
			Pinning: catalog.PinFirstSight, Timeout: 7 * time.Second,
		}},
		Overlays: []*catalog.Overlay{overlay(t, "tools:\n  s/a: {timeout: 2s}\n  s/b: {risk: high}\n")},
	})
	if got := mustTool(t, cat, "s/a").Timeout(time.Minute); got != 2*time.Second {
		t.Errorf("with an overlay's timeout: %v", got)
	}
	if got := mustTool(t, cat, "s/b").Timeout(time.Minute); got != 7*time.Second {
		t.Errorf("with the server's timeout: %v", got)
	}
}

// A field that the overlay leaves out keeps its pessimistic value, or that of a
// trusted server.
func TestOverlayFieldByField(t *testing.T) {
	t.Parallel()
	hint := map[string]any{"readOnlyHint": true}
	for _, c := range []struct {
		overlay    string
		trusted    bool
		safety     toolverdict.Safety
		risk       toolverdict.Risk
		permission string
	}{
		{"{risk: low}", false, "destructive", "low", ""},
		{"{safety: read-only}", false, "read-only", "high", "tool:s/a"},
		{"{risk: medium}", false, "destructive", "medium", "tool:s/a"},
		{"{risk: low, permission: x}", false, "destructive", "low", "x"},
		{"{groups: [g]}", false, "destructive", "high", "tool:s/a"},
		{"{groups: [g]}", true, "read-only", "low", ""},
		{"{safety: destructive}", true, "destructive", "low", ""},
		{"{risk: high}", true, "read-only", "high", "tool:s/a"},
	} {
		cat, _ := build(t, catalog.Input{
			Servers: []catalog.Server{{
				Name: "s", Pinning: catalog.PinFirstSight, TrustAnnotations: c.trusted,
				Announced: []json.RawMessage{announce(t, map[string]any{"name": "a", "annotations": hint})},
			}},
			Overlays: []*catalog.Overlay{overlay(t, "tools: {s/a: "+c.overlay+"}")},
		})
		tool := mustTool(t, cat, "s/a")
		if tool.Safety() != c.safety || tool.Risk() != c.risk || tool.Permission() != c.permission {
			t.Errorf("%s trusted %v: got %s, %s, %q", c.overlay, c.trusted, tool.Safety(), tool.Risk(), tool.Permission())
		}
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	in := catalog.Input{
		Servers: []catalog.Server{
			{Name: "a", Announced: named(t, "list_x", "list_all", "get", "other"), Pinning: catalog.PinFirstSight},
			{Name: "b", Announced: named(t, "list_x", "zero"), Pinning: catalog.PinFirstSight},
		},
		Overlays: []*catalog.Overlay{overlay(t, `
tools:
  "*": {groups: [any]}
  "a/*": {groups: [a]}
  "a/list_*": {groups: [a_lists]}
  "*/list_x": {groups: [x]}
  "a/get": {groups: [exact]}
  "*/@*": {groups: [methods]}
  "b/@resources/*": {groups: [b_resources]}
  "nobody/*": {groups: [unused]}
`)},
	}
	c, r := build(t, in)
	for name, group := range map[string]string{
		"a/list_all": "a_lists", "a/get": "exact", "a/other": "a", "b/list_x": "x", "b/zero": "any",
		"a/@resources/read": "methods", "b/@resources/read": "b_resources", "b/@prompts/get": "methods",
	} {
		if got := mustTool(t, c, name).Definition().Groups; !slices.Equal(got, []string{group}) {
			t.Errorf("%s: %v, want %s", name, got, group)
		}
	}
	if reason, held := c.Quarantined("a/list_x"); !held || !strings.Contains(reason, "one length") {
		t.Errorf("two patterns of one length: %q %v", reason, held)
	}
	want := []string{`catalog.yaml:10: tool "nobody/*": no server announces such a tool`}
	if diff := cmp.Diff(want, r.Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestOverlaysMustAgree(t *testing.T) {
	t.Parallel()
	one, two := overlay(t, "tools: {s/a: {risk: low}}"), overlay(t, "tools:\n  s/a: {risk: high}")
	_, _, err := catalog.Build(catalog.Input{Overlays: []*catalog.Overlay{one, two}})
	if err == nil || !strings.Contains(err.Error(), `catalog.yaml:2: tool "s/a" is described in catalog.yaml:1 already`) {
		t.Error(err)
	}
}

// An overlay that points at arguments that are not there would hide or check
// nothing: the tool is held back.
func TestPointersMustExist(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage(`{"name":"a","inputSchema":{"type":"object","required":["id"],"properties":{
		"id":{"type":"string"},"note":{"type":"string"},"user":{"type":"object","properties":{"name":{},"mail":{}}},
		"to":{"type":"array","items":{"type":"string"}},"rows":{"type":"array","items":{"properties":{"path":{}}}},
		"headers":{"type":"object"},"env":{"type":"object","additionalProperties":{"type":"string"}},
		"shut":{"type":"object","additionalProperties":false}}}}`)
	for entry, good := range map[string]bool{
		"{sensitive: [/note]}":            true,
		"{sensitive: [/nope]}":            false,
		"{sensitive: [/Note]}":            false,
		"{sensitive: [/user/mail]}":       true,
		"{sensitive: [/user/phone]}":      false,
		"{sensitive: [/note/x]}":          false,
		"{sensitive: [/to/0]}":            true,
		"{sensitive: [/to/*]}":            true,
		"{sensitive: [/to/name]}":         false,
		"{sensitive: [/rows/*/path]}":     true,
		"{sensitive: [/rows/*/file]}":     false,
		"{sensitive: [/headers/secret]}":  true,
		"{sensitive: [/env/TOKEN]}":       true,
		"{sensitive: [/env/TOKEN/x]}":     false,
		"{sensitive: [/*/mail]}":          true,
		"{sensitive: [/shut/x]}":          false,
		`{roles: {"/note": path}}`:        true,
		`{roles: {"/nte": path}}`:         false,
		"{idempotency: {key: [/id]}}":     true,
		"{idempotency: {key: [/note]}}":   false, // optional: calls without it would be one
		"{idempotency: {key: [/nope]}}":   false,
		"{idempotency: {window: 1h}}":     true,
		"{idempotency: {key: [/user/x]}}": false,
	} {
		c, _ := build(t, catalog.Input{
			Servers:  []catalog.Server{{Name: "s", Announced: []json.RawMessage{raw}, Pinning: catalog.PinFirstSight}},
			Overlays: []*catalog.Overlay{overlay(t, "tools: {s/a: "+entry+"}")},
		})
		reason, held := c.Quarantined("s/a")
		if held == good {
			t.Errorf("%s: held %v %q", entry, held, reason)
		}
	}
}

// A definition that cannot be read exactly is held back, and nothing else.
func TestRefusedDefinitions(t *testing.T) {
	t.Parallel()
	for raw, why := range map[string]string{
		`{`:                       "not acceptable JSON",
		`[]`:                      "not a JSON object",
		`{"description":"x"}`:     "no name",
		`{"name":1}`:              "no name",
		`{"name":"a","name":"b"}`: "not acceptable JSON",
		`{"name":"a","Name":"b","inputSchema":{}}`:                          `may read as "name"`,
		`{"name":"a","InputSchema":{"type":"object"}}`:                      `may read as "inputSchema"`,
		`{"name":"a","inputSchema":[]}`:                                     "inputSchema is not of type object",
		`{"name":"a","inputSchema":true}`:                                   "inputSchema is not of type object",
		`{"name":"a","title":1}`:                                            "title is not of type string",
		`{"name":"a","description":null}`:                                   "description is not of type string",
		`{"name":"a","annotations":[]}`:                                     "annotations is not of type object",
		`{"name":"a","annotations":{"readonlyhint":true}}`:                  `may read as "readOnlyHint"`,
		`{"name":"a","inputSchema":{"type":"strin"}}`:                       "compile schema",
		`{"name":"a","inputSchema":{"$ref":"http://x/y"}}`:                  "nothing is fetched",
		`{"name":"a","inputSchema":{"allOf":[{"$ref":"#"}]}}`:               "refers to itself",
		`{"name":"a","description":"` + strings.Repeat("x", 300<<10) + `"}`: "larger than the limit",
		`{"name":"a","description":"\ud800"}`:                               "not acceptable JSON",
	} {
		c, r := one(t, json.RawMessage(raw), named(t, "good")[0])
		i := slices.IndexFunc(r.Tools, func(e catalog.Entry) bool { return e.State == catalog.Refused })
		if i < 0 || !strings.Contains(r.Tools[i].Reason, why) || r.Tools[i].Seen.Hash != "" {
			t.Errorf("%.80s: got %+v, want %q", raw, r.Tools, why)
		}
		mustTool(t, c, "s/good")
	}
	many := make([]json.RawMessage, 2100)
	for i := range many {
		many[i] = json.RawMessage(fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, i))
	}
	if _, r := one(t, many...); !slices.ContainsFunc(r.Tools, func(e catalog.Entry) bool { return strings.Contains(e.Reason, "more than 2000 tools") }) {
		t.Error("a server may announce any number of tools")
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	c, r := build(t, catalog.Input{
		Servers:  []catalog.Server{{Name: "s", Methods: []string{"x/custom", "resources/read"}}},
		Overlays: []*catalog.Overlay{overlay(t, `tools: {"s/@sampling/createMessage": {risk: high, confirmation: always}, "*": {risk: high}, "s/*": {risk: high}}`)},
	})
	safety := map[string]toolverdict.Safety{}
	for _, tool := range c.Tools() {
		safety[tool.Name()] = tool.Safety()
		if tool.Name() != "s/@sampling/createMessage" && (tool.Risk() != "low" || tool.Permission() != "") {
			t.Errorf("%s: %s %q", tool.Name(), tool.Risk(), tool.Permission())
		}
	}
	want := map[string]toolverdict.Safety{
		"s/@resources/read": "read-only", "s/@resources/subscribe": "read-only", "s/@prompts/get": "read-only",
		"s/@completion/complete": "read-only", "s/@sampling/createMessage": "read-only", "s/@elicitation/create": "read-only",
		"s/@roots/list": "read-only", "s/@tasks/get": "read-only", "s/@tasks/result": "read-only", "s/@tasks/list": "read-only",
		"s/@tasks/update": "destructive", "s/@tasks/cancel": "destructive", "s/@logging/setLevel": "read-only", "s/@x/custom": "destructive",
	}
	if diff := cmp.Diff(want, safety); diff != "" {
		t.Error(diff)
	}
	tight := mustTool(t, c, "s/@sampling/createMessage").Definition()
	if tight.Risk != "high" || tight.Confirmation != "always" || tight.Permission != "tool:s/@sampling/createMessage" {
		t.Errorf("%+v", tight)
	}
	if len(r.Tools) != 0 || catalog.MethodTool("s", "prompts/get") != "s/@prompts/get" {
		t.Errorf("%+v", r.Tools)
	}
}

func TestLocalTools(t *testing.T) {
	t.Parallel()
	place := toolverdict.Place{Root: "/srv/app", Links: true}
	c, r := build(t, catalog.Input{
		Servers: []catalog.Server{{Name: "app", Local: true, Place: place}},
		Overlays: []*catalog.Overlay{overlay(t, `
tools:
  app/greet: {place: {root: /elsewhere}, safety: read-only, risk: low, schema: {type: object, properties: {name: {type: string}}, required: [name]}, summary: "Greet {name}"}
  app/wipe: {description: Removes everything., roles: {/x: {role: path, baseFrom: env.cwd}}}
  app/bad: {sensitive: [/x], schema: {type: object, properties: {y: {}}}}
  "app/*": {groups: [rest]}
`)},
	})
	greet := mustTool(t, c, "app/greet")
	if greet.Risk() != "low" || greet.Safety() != "read-only" {
		t.Errorf("%+v", greet.Definition())
	}
	if at := greet.Place(); at != (toolverdict.Place{Root: "/elsewhere"}) {
		t.Errorf("a place that the overlay names: %+v", at)
	}
	wipe := mustTool(t, c, "app/wipe").Definition()
	if wipe.Place != place || wipe.Roles["/x"].BaseFrom != "env.cwd" {
		t.Errorf("%+v", wipe)
	}
	if wipe.Risk != "high" || wipe.Safety != "destructive" || wipe.Permission != "tool:app/wipe" || string(wipe.InputSchema) != `{"type":"object"}` {
		t.Errorf("%+v", wipe)
	}
	if _, ok := c.Tool("app/bad"); ok {
		t.Error("a tool with a pointer to nowhere is listed")
	}
	if len(r.Taken) != 0 {
		t.Errorf("pins of local tools: %v", r.Taken)
	}
}

// A server's timeout holds for its tools and methods, unless the overlay names
// one.
func TestTimeout(t *testing.T) {
	t.Parallel()
	c, _ := build(t, catalog.Input{
		Servers:  []catalog.Server{{Name: "s", Announced: named(t, "a", "b", "c"), Pinning: catalog.PinFirstSight, Timeout: 5 * time.Second}},
		Overlays: []*catalog.Overlay{overlay(t, "tools: {s/a: {timeout: 9s}, s/b: {groups: [g]}}")},
	})
	for name, want := range map[string]time.Duration{
		"s/a": 9 * time.Second, "s/b": 5 * time.Second, "s/c": 5 * time.Second, "s/@resources/read": 5 * time.Second,
	} {
		if got := mustTool(t, c, name).Timeout(time.Minute); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// What callers hold of a catalog, before and after, cannot change it.
func TestFrozen(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage(`{"name":"a","title":"T","description":"D","annotations":{"readOnlyHint":true},"outputSchema":{"type":"object"},
		"inputSchema":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"],"additionalProperties":false}}`)
	in := catalog.Input{
		Servers:  []catalog.Server{{Name: "s", Announced: []json.RawMessage{raw}, Pinning: catalog.PinFirstSight, Methods: []string{"m/x"}}},
		Overlays: []*catalog.Overlay{overlay(t, `tools: {s/a: {groups: [g], roles: {"/x": money}, sensitive: [/x], guidance: {TOOL_ERROR: Hm.}, idempotency: {key: [/x]}}}`)},
	}
	c, r := build(t, in)
	tool := mustTool(t, c, "s/a")
	hash, def := tool.Hash(), tool.Definition()
	for i := range raw {
		raw[i] = 'x'
	}
	in.Servers[0].Methods[0], in.Servers[0].Name = "y", "y"
	got := tool.Definition()
	for _, b := range [][]byte{got.InputSchema, got.OutputSchema, got.Annotations} {
		for i := range b {
			b[i] = 'x'
		}
	}
	got.Groups[0], got.Sensitive[0], got.Idempotency.Key[0] = "y", "y", "y"
	got.Roles["/x"], got.Guidance["TOOL_ERROR"] = toolverdict.Role{Kind: "y"}, "y"
	tools := c.Tools()
	for i := range tools {
		tools[i] = nil
	}
	for i := range r.Taken[0].Definition {
		r.Taken[0].Definition[i] = 'x'
	}
	clear(r.Taken[0].Fields)
	if diff := cmp.Diff(def, tool.Definition()); diff != "" {
		t.Error(diff)
	}
	if again := mustTool(t, c, "s/a"); again.Hash() != hash || c.Tools()[0] == nil {
		t.Error("the catalog changed")
	}
	e, _ := r.Entry("s/a")
	if e.Seen.Definition[0] != '{' {
		t.Error("changing a taken pin changed the report")
	}
	schema := catalog.JSONSchema()
	schema[0] = 'x'
	if catalog.JSONSchema()[0] != '{' {
		t.Error("the published schema changed")
	}
}

// The order of servers, tools, overlays and members means nothing.
func TestOrderMeansNothing(t *testing.T) {
	t.Parallel()
	tools := []string{
		`{"name":"a","description":"1","inputSchema":{"type":"object","properties":{"x":{},"y":{}}}}`,
		`{"name":"b","inputSchema":{"type":"object"}}`, `{"name":"c","inputSchema":{"type":"object"}}`,
	}
	one, two := overlay(t, "tools: {s/a: {risk: low}, \"*/c\": {risk: low}}"), overlay(t, "tools: {\"t/*\": {groups: [g]}}")
	fingerprint := func(in catalog.Input) []string {
		c, r := build(t, in)
		var out []string
		for _, tool := range c.Tools() {
			out = append(out, tool.Name()+" "+tool.Hash())
		}
		for _, e := range r.Tools {
			out = append(out, e.Tool+" "+string(e.State)+" "+e.Seen.Hash)
		}
		return append(out, r.Warnings...)
	}
	list := func(order []int) []json.RawMessage {
		var out []json.RawMessage
		for _, i := range order {
			out = append(out, json.RawMessage(tools[i]))
		}
		return out
	}
	servers := func(order []int) []catalog.Server {
		return []catalog.Server{
			{Name: "s", Announced: list(order), Pinning: catalog.PinFirstSight},
			{Name: "t", Announced: list(order), Pinning: catalog.PinFirstSight},
		}
	}
	want := fingerprint(catalog.Input{Servers: servers([]int{0, 1, 2}), Overlays: []*catalog.Overlay{one, two}, Now: at()})
	rapid.Check(t, func(rt *rapid.T) {
		s := servers(rapid.Permutation([]int{0, 1, 2}).Draw(rt, "tools"))
		if rapid.Bool().Draw(rt, "swap servers") {
			slices.Reverse(s)
		}
		o := []*catalog.Overlay{one, two}
		if rapid.Bool().Draw(rt, "swap overlays") {
			slices.Reverse(o)
		}
		if diff := cmp.Diff(want, fingerprint(catalog.Input{Servers: s, Overlays: o, Now: at()})); diff != "" {
			rt.Fatal(diff)
		}
	})
	tools[0] = `{"inputSchema":{"properties":{"y":{},"x":{}},"type":"object"}, "description":"\u0031","name":"a"}`
	if diff := cmp.Diff(want, fingerprint(catalog.Input{Servers: servers([]int{0, 1, 2}), Overlays: []*catalog.Overlay{one, two}, Now: at()})); diff != "" {
		t.Error("another spelling of the same definition is another tool:", diff)
	}
}

func TestBetweenServers(t *testing.T) {
	t.Parallel()
	overlay, err := catalog.ParseOverlay("o.yaml", []byte("tools: {agent/send_mail: {schema: {type: object}}, other/send_mail: {schema: {type: object}}}"))
	if err != nil {
		t.Fatal(err)
	}
	c, r := build(t, catalog.Input{Overlays: []*catalog.Overlay{overlay}, Servers: []catalog.Server{
		{Name: "a", Announced: named(t, "send_mail", "x"), Pinning: catalog.PinFirstSight},
		{Name: "b", Announced: named(t, "send_mai1", "y"), Pinning: catalog.PinFirstSight},
		{Name: "agent", Local: true}, {Name: "other", Local: true},
	}})
	want := []string{"tools of different servers have the same or a similar name: a/send_mail, b/send_mai1"}
	if diff := cmp.Diff(want, r.Warnings); diff != "" {
		t.Error(diff)
	}
	mustTool(t, c, "b/send_mai1")
	mustTool(t, c, "other/send_mail")
}
