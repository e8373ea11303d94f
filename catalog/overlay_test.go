// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema"
)

// published is the JSON Schema that editors use.
func published(t testing.TB) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(catalog.JSONSchema(), schema.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON reads YAML as an editor would.
func asJSON(src string) (canon.Value, bool) {
	var x any
	if err := yaml.Unmarshal([]byte(src), &x); err != nil {
		return canon.Value{}, false
	}
	v, err := canon.FromGo(x)
	return v, err == nil
}

// TestOverlayErrors: every mistake is told with its place and what to do. Those
// marked with ~ cannot be seen by a JSON Schema.
func TestOverlayErrors(t *testing.T) {
	t.Parallel()
	editor := published(t)
	for src, want := range map[string]string{
		"~":                             "", // see below
		"tools":                         `c.yaml:1:1: the catalog must be a mapping of keys to values`,
		"{}":                            `c.yaml:1:1: "tools" is missing: write the tools under it, or "tools: {}" for none`,
		"tools: []":                     `c.yaml:1:8: tools must be a mapping of keys to values`,
		"tool: {}":                      `c.yaml:1:1: the catalog: unknown key "tool": did you mean "tools"?`,
		"version: 2\ntools: {}":         `c.yaml:1:10: version must be 1`,
		"version: \"1\"\ntools: {}":     `c.yaml:1:10: version must be 1`,
		"tools: {a: {risk: low}}":       `c.yaml:1:9: tool "a": a key is SERVER/TOOL, SERVER/@METHOD, or a pattern with *`,
		"tools: {a/: {risk: low}}":      `c.yaml:1:9: tool "a/": a key is SERVER/TOOL, SERVER/@METHOD, or a pattern with *`,
		"tools: {a/**: {risk: low}}":    `c.yaml:1:9: tool "a/**": one * matches any text already`,
		"~tools: {a/b c: {risk: low}}":  `c.yaml:1:9: tool "a/b c": the tool's name holds U+0020, a space`,
		"~tools: {a__b/c: {risk: low}}": `c.yaml:1:9: tool "a__b/c": the server's name must not hold a double underscore or end in one: clients join names with it`,
		"~tools: {toolverdictcanary/c: {risk: low}}":                `c.yaml:1:9: tool "toolverdictcanary/c": the server's name is kept for calls that 'toolverdict doctor' makes to see them denied: rename it`,
		"~tools: {a/toolverdictcanary: {risk: low}}":                `c.yaml:1:9: tool "a/toolverdictcanary": the tool's name is kept for calls that 'toolverdict doctor' makes to see them denied: rename it`,
		"tools: {a/b: {}}":                                          `c.yaml:1:14: tool "a/b" says nothing: leave it out, or describe it`,
		"tools: {a/b: low}":                                         `c.yaml:1:14: tool "a/b" must be a mapping of keys to values`,
		"tools: {a/b: {riks: low}}":                                 `c.yaml:1:15: tool "a/b": unknown key "riks": did you mean "risk"?`,
		"tools: {a/b: {nothing: low}}":                              `c.yaml:1:15: tool "a/b": unknown key "nothing": use title, description, schema, safety, risk, permission, confirmation, execution, groups, roles, place, sensitive, summary, impact, idempotency, reconcile, timeout, guidance`,
		"~tools: {a/b: {risk: low, risk: high}}":                    `c.yaml:1:26: key "risk" was given on line 1 already`,
		"~tools: {a/b: {risk: low}, a/b: {risk: high}}":             `c.yaml:1:27: key "a/b" was given on line 1 already`,
		"tools: {a/b: {risk: lo}}":                                  `c.yaml:1:21: risk: "lo" is none of low, medium, high: did you mean "low"?`,
		"tools: {a/b: {risk: Low}}":                                 `c.yaml:1:21: risk: "Low" is none of low, medium, high: did you mean "low"?`,
		"tools: {a/b: {risk: [low]}}":                               `c.yaml:1:21: risk must be text`,
		"tools: {a/b: {risk: 1}}":                                   `c.yaml:1:21: risk must be text: put it in quotes`,
		"tools: {a/b: {risk: null}}":                                `c.yaml:1:21: risk must be text`,
		"tools: {a/b: {risk: }}":                                    `c.yaml:1:21: risk must be text`,
		"tools: {a/b: {safety: readonly}}":                          `c.yaml:1:23: safety: "readonly" is none of read-only, destructive: did you mean "read-only"?`,
		"tools: {a/b: {permission: orders.*}}":                      `c.yaml:1:27: permission "orders.*": name exactly one permission, without * and spaces`,
		"tools: {a/b: {permission: ''}}":                            `c.yaml:1:27: permission is empty: leave the key out, or say something`,
		"tools: {a/b: {permission: true}}":                          `c.yaml:1:27: permission must be text: put it in quotes`,
		"tools: {a/b: {groups: []}}":                                `c.yaml:1:23: groups must be a list with at least one element: leave the key out for none`,
		"tools: {a/b: {groups: g}}":                                 `c.yaml:1:23: groups must be a list with at least one element: leave the key out for none`,
		"tools: {a/b: {groups: [g, g]}}":                            `c.yaml:1:27: groups: "g" is listed twice`,
		"tools: {a/b: {groups: [a b]}}":                             `c.yaml:1:24: group "a b": use letters, digits, dots, dashes and underscores`,
		"tools: {a/b: {roles: {}}}":                                 `c.yaml:1:22: roles is empty: leave the key out for none`,
		"tools: {a/b: {roles: {path: path}}}":                       `c.yaml:1:23: roles: "path" is not a JSON pointer to an argument: write it like /order_id or /items/0/name`,
		"tools: {a/b: {roles: {/p: {role: path, baseFrom: env.}}}}": `c.yaml:1:50: baseFrom: "env." is not a JSON pointer to an argument: write it like /order_id or /items/0/name`,
		"tools: {a/b: {roles: {/p: {role: path, baseFrom: env}}}}":  `c.yaml:1:50: baseFrom: "env" is not a JSON pointer to an argument: write it like /order_id or /items/0/name`,
		"tools: {a/b: {roles: {/p: paths}}}":                        `c.yaml:1:27: role of /p: "paths" is none of shell, shell:bash, shell:posix, sql:postgres, sql:mysql, sql:sqlite, path, patch, url, email, header, money, code: did you mean "path"?`,
		"tools: {a/b: {roles: {/p: sql}}}":                          `c.yaml:1:27: role of /p: "sql" is none of shell, shell:bash, shell:posix, sql:postgres, sql:mysql, sql:sqlite, path, patch, url, email, header, money, code`,
		"tools: {a/b: {sensitive: [body]}}":                         `c.yaml:1:27: sensitive: "body" is not a JSON pointer to an argument: write it like /order_id or /items/0/name`,
		"tools: {a/b: {sensitive: [/]}}":                            `c.yaml:1:27: sensitive: "/" is not a JSON pointer to an argument: write it like /order_id or /items/0/name`,
		"tools: {a/b: {sensitive: [/a~2]}}":                         `c.yaml:1:27: sensitive: "/a~2" is not a JSON pointer to an argument: write it like /order_id or /items/0/name`,
		"tools: {a/b: {summary: \"two\\nlines\"}}":                  `c.yaml:1:24: summary must be one line of visible text`,
		"~tools: {a/b: {impact: \"hid\\u200bden\"}}":                `c.yaml:1:23: impact must be one line of visible text`,
		"tools: {a/b: {idempotency: {}}}":                           `c.yaml:1:28: idempotency is empty: name a key, a window, or both`,
		"tools: {a/b: {idempotency: {keys: [/a]}}}":                 `c.yaml:1:29: idempotency: unknown key "keys": did you mean "key"?`,
		"tools: {a/b: {idempotency: {key: [/a/*]}}}":                `c.yaml:1:35: idempotency key: "/a/*": * is not accepted here: name one argument`,
		"tools: {a/b: {idempotency: {window: 1 day}}}":              `c.yaml:1:37: idempotency window: "1 day" is not a time span: write it like 30s, 5m or 24h`,
		"tools: {a/b: {timeout: 30}}":                               `c.yaml:1:24: timeout must be text: put it in quotes`,
		"tools: {a/b: {timeout: -5s}}":                              `c.yaml:1:24: timeout: "-5s" is not a time span: write it like 30s, 5m or 24h`,
		"~tools: {a/b: {timeout: 0s}}":                              `c.yaml:1:24: timeout: "0s" is not a time span: write it like 30s, 5m or 24h`,
		"tools: {a/b: {guidance: {}}}":                              `c.yaml:1:25: guidance is empty: leave the key out for none`,
		"tools: {a/b: {guidance: {TOOL_EROR: x}}}":                  `c.yaml:1:26: guidance: unknown key "TOOL_EROR": did you mean "TOOL_ERROR"?`,
		"tools: {a/b: {schema: x}}":                                 `c.yaml:1:23: schema must be a JSON Schema: a mapping with type, properties and so on`,
		"~tools: {a/b: {schema: {type: strin}}}":                    `c.yaml:1:23: schema: compile schema: /type: must be one of array, boolean, integer, null, number, object, string, or a list of them: did you mean string?`,
		"~tools: {a/b: {schema: {requierd: [a]}}}":                  `c.yaml:1:23: schema: compile schema: /requierd: JSON Schema has no keyword "requierd": did you mean "required"?`,
		"~tools: {a/b: {schema: {minimum: 0x10}}}":                  `c.yaml:1:23: schema: not plain JSON: parse JSON: line 1, column 13 (/minimum): invalid number: this is not a JSON number: write digits, without a plus sign, leading zeros or a bare point`,
		"~tools: {a/b: {schema: {minimum: .inf}}}":                  `c.yaml:1:23: schema: not plain JSON: parse JSON: line 1, column 12 (/minimum): invalid number: this is not a JSON number: write digits, without a plus sign, leading zeros or a bare point`,
		"~tools: {a/b: &x {risk: low}, a/c: *x}":                    "c.yaml:1:14: anchors and aliases are not read: write the value out\nc.yaml:1:35: anchors and aliases are not read: write the value out",
		"~tools: {a/b: {<<: {risk: low}}}":                          `c.yaml:1:15: a key must be text: put it in quotes`,
		"~tools: {a/b: {risk: !x low}}":                             `c.yaml:1:21: values with a tag are not read: write the plain value`,
		"~tools: {1: {risk: low}}":                                  `c.yaml:1:9: a key must be text: put it in quotes`,
		"~tools: {}\n---\ntools: {}":                                `c.yaml:2:1: a second document: keep one per file`,
		"~tools:\n\ta/b: {}":                                        `c.yaml:2:1: not valid YAML: check indentation, quotes and tabs around this line`,
		"~tools: {a/b: {risk: low":                                  `c.yaml:1:1: not valid YAML: check indentation, quotes and tabs around this line`,
		"tools:\n  a/b: {risk: x}\n  c/d: {risk: y, safety: z}": "c.yaml:2:15: risk: \"x\" is none of low, medium, high\n" +
			"c.yaml:3:15: risk: \"y\" is none of low, medium, high\nc.yaml:3:26: safety: \"z\" is none of read-only, destructive",
	} {
		src, hidden := strings.CutPrefix(src, "~")
		if src == "" {
			want = `c.yaml:1:1: the file is empty`
		}
		_, err := catalog.ParseOverlay("c.yaml", []byte(src))
		if err == nil {
			t.Errorf("%s: accepted", src)
			continue
		}
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("%s: %s", src, diff)
		}
		if v, ok := asJSON(src); !hidden && ok && editor.Validate(v) == nil {
			t.Errorf("%s: the published schema accepts it", src)
		}
	}
	if _, err := catalog.ParseOverlay("c.yaml", []byte("tools: {} #"+strings.Repeat(" ", 5<<20))); err == nil {
		t.Error("a file of any size is read")
	}
	deep := "tools: {a/b: {schema: " + strings.Repeat("{not: ", 100) + "{}" + strings.Repeat("}", 100) + "}}"
	if _, err := catalog.ParseOverlay("c.yaml", []byte(deep)); err == nil || !strings.Contains(err.Error(), "nested deeper than 64 levels") {
		t.Errorf("a file of any depth is read: %v", err)
	}
	var many strings.Builder
	many.WriteString("tools:\n")
	for range 50 {
		many.WriteString("  x: {risk: x}\n")
	}
	if _, err := catalog.ParseOverlay("c.yaml", []byte(many.String())); err == nil || strings.Count(err.Error(), "\n") != 20 {
		t.Errorf("got %v", err)
	}
}

// What the decoder accepts, the published schema accepts too.
func TestPublishedSchema(t *testing.T) {
	t.Parallel()
	editor := published(t)
	examples, err := filepath.Glob("../examples/*/catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sources := []string{
		"tools: {}", "version: 1\ntools: {}",
		`tools: {"*": {risk: low}, "a/*": {risk: low}, "*/@*": {risk: low}, a/@resources/read: {risk: low}, a/查询订单: {risk: low}}`,
		`tools: {a/b: {title: T, description: "D\nD", safety: destructive, risk: medium, permission: x.y, confirmation: never, execution: parallel}}`,
		`tools: {a/b: {groups: [a, b-c.d_e], roles: {/a: code:python, /b/~0~1: shell, /c/*: url}, sensitive: [/a, /b/*/c]}}`,
		`tools: {a/b: {summary: "S {a}", impact: I, idempotency: {key: [/a], window: 1h30m}, timeout: 1.5s, guidance: {TOOL_ERROR: x}}}`,
		`tools: {a/b: {idempotency: {window: 10ms}, schema: {type: object, properties: {a: {type: string, format: email, default: "2026-01-01"}}}}}`,
	}
	for _, file := range examples {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, string(src))
	}
	for _, code := range toolverdict.Codes() {
		sources = append(sources, "tools: {a/b: {guidance: {"+string(code)+": x}}}")
	}
	for _, src := range sources {
		if _, err := catalog.ParseOverlay("c.yaml", []byte(src)); err != nil {
			t.Errorf("%s: %v", src, err)
		}
		v, ok := asJSON(src)
		if !ok {
			t.Fatalf("%s: no JSON", src)
		}
		if errs := editor.Validate(v); errs != nil {
			t.Errorf("%s: the published schema refuses it: %v", src, errs)
		}
	}
}

// Every YAML block of the reference is a file that loads.
func TestReference(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("../docs/catalog.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(src), -1)
	if len(blocks) < 2 {
		t.Errorf("only %d blocks", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(b[1], "tools:") {
			continue // a part of another file
		}
		if _, err := catalog.ParseOverlay("catalog.md", []byte(b[1])); err != nil {
			t.Errorf("%s\n%v", b[1], err)
		}
	}
}

// FuzzParseOverlay: whatever loads also builds, and what does not is told with a
// place.
func FuzzParseOverlay(f *testing.F) {
	for _, s := range []string{
		"tools: {a/b: {risk: low}}", "tools: {s/a: {schema: {type: object}}}", "a: &x [*x]", "tools: {? [a] : b}", "tools: {\"*\": {groups: [\u202e]}}",
		"tools: {s/a: {schema: {const: 2026-01-01, enum: [yes, ~, 1e3, 0o7]}}}", "%YAML 1.1\n---\ntools: {}", "tools: !!set {a/b}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		o, err := catalog.ParseOverlay("f.yaml", []byte(src))
		if err != nil {
			if o != nil || !regexp.MustCompile(`^f\.yaml:\d+:\d+: `).MatchString(err.Error()) {
				t.Fatalf("%q: %v", src, err)
			}
			return
		}
		c, _, err := catalog.Build(catalog.Input{
			Servers:  []catalog.Server{{Name: "s", Announced: named(t, "a"), Pinning: catalog.PinFirstSight}, {Name: "app", Local: true}},
			Overlays: []*catalog.Overlay{o},
		})
		if err != nil || c == nil {
			t.Fatalf("%q: %v", src, err)
		}
	})
}

// FuzzBuild: whatever a server announces is listed or held back with a reason,
// and never breaks the tool beside it.
func FuzzBuild(f *testing.F) {
	for _, s := range []string{
		reviewed, `{}`, `{"name":"a"}`, `{"name":"good"}`, `{"name":"a","inputSchema":{"$ref":"#/x","x":{}}}`, `{"name":"\u202e"}`,
		`{"name":"a","annotations":{"readOnlyHint":true}}`, `{"name":"@x"}`, `{"name":"a","_meta":{}}`, `{"name":"a","inputSchema":{"pattern":"("}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, r := build(t, catalog.Input{Servers: []catalog.Server{{
			Name: "s", Announced: append(named(t, "beside"), raw), Pinning: catalog.PinFirstSight, TrustAnnotations: true,
		}}})
		name, holds := c.Holds("s", raw)
		tool, listed := c.Tool(name)
		if holds != listed && !strings.HasPrefix(name, "s/@") && name != "s/beside" {
			t.Fatalf("%q: holds %v, listed %v (%s)", raw, holds, listed, name)
		}
		if listed && tool.Name() != name {
			t.Fatalf("%q: %s is %s", raw, name, tool.Name())
		}
		for _, e := range r.Tools {
			if e.State != catalog.Listed && e.Reason == "" {
				t.Fatalf("%q: %s without a reason", raw, e.State)
			}
		}
		if _, ok := c.Tool("s/beside"); !ok && name != "s/beside" && !strings.Contains(string(raw), "eside") {
			if reason, _ := c.Quarantined("s/beside"); !strings.Contains(reason, "looks like") {
				t.Fatalf("%q broke the tool beside it: %s", raw, reason)
			}
		}
	})
}
