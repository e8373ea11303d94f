// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
)

// asked is what stands in the overlay of the tool that is asked.
const asked = `{safety: read-only, risk: low}`

// shop builds a catalog of s/pay, whose lost calls s/find is asked about.
func shop(t *testing.T, reconcile, asked string) (*catalog.Catalog, catalog.Report) {
	t.Helper()
	s := server(catalog.PinFirstSight, `{"name":"pay","inputSchema":{"type":"object","required":["order","act","card","deep"],"properties":{
		"order":{"type":"string"},"note":{"type":"string"},"card":{"type":"object","required":["no","holder"],"properties":{"no":{},"holder":{}}},
		"act":{"type":"object","required":["id"],"properties":{"id":{"type":"string"}}},"deep":{"type":"object","required":["a"],"properties":{"a":{"type":"object","required":["b"],"properties":{"b":{}}}}}}}}`,
		`{"name":"find","inputSchema":{"type":"object","required":["order"],"properties":{"order":{},"id":{},"full":{},"page":{}},"additionalProperties":false}}`)
	src := "tools:\n  s/pay: {sensitive: [/card/no, /deep/*/b], reconcile: " + reconcile + "}\n"
	if asked != "" {
		src += "  s/find: " + asked + "\n"
	}
	return build(t, catalog.Input{Servers: []catalog.Server{s}, Overlays: []*catalog.Overlay{overlay(t, src)}})
}

func TestReconcileIsRead(t *testing.T) {
	t.Parallel()
	c, report := shop(t, `{tool: s/find, arguments: {order: {from: /order}, id: {from: /act/id}, full: true, page: 1}, settled: {
		succeeded: {/state: [paid, sent], /id: {from: /act/id}}, failed: {/state: open, /payments/0: {exists: false}}, failedAfter: 2m}}`, asked)
	raw := func(s string) toolverdict.Term { return toolverdict.Term{Value: json.RawMessage(s)} }
	want := &toolverdict.Reconcile{
		Tool:        "s/find",
		Arguments:   map[string]toolverdict.Term{"order": {From: "/order"}, "id": {From: "/act/id"}, "full": raw("true"), "page": raw("1")},
		Succeeded:   []toolverdict.Finding{{At: "/state", Is: []toolverdict.Term{raw(`"paid"`), raw(`"sent"`)}}, {At: "/id", Is: []toolverdict.Term{{From: "/act/id"}}}},
		Failed:      []toolverdict.Finding{{At: "/state", Is: []toolverdict.Term{raw(`"open"`)}}, {At: "/payments/0", Exists: new(false)}},
		FailedAfter: 2 * time.Minute,
	}
	tool := mustTool(t, c, "s/pay")
	mine := tool.Definition().Reconcile
	if d := cmp.Diff(want, mine); d != "" {
		t.Error("-want +got:\n" + d)
	}
	mine.Arguments["order"], *mine.Failed[1].Exists, mine.Succeeded[0].Is[0].Value[1] = toolverdict.Term{}, true, 'X'
	if d := cmp.Diff(want, tool.Definition().Reconcile); d != "" {
		t.Error("whoever reads a tool's definition can change it:\n" + d)
	}
	if len(report.Warnings) > 0 {
		t.Errorf("warned of %v", report.Warnings)
	}
}

// Asking changes nothing: whatever the overlay says, a tool that may change
// something is not asked, and the tool that would have it asked is held back.
func TestReconcileIsHeldToReading(t *testing.T) {
	t.Parallel()
	const settled = "settled: {succeeded: {/state: paid}}"
	for name, c := range map[string]struct {
		reconcile, asked string
		held, warning    string // parts of them
	}{
		"good":                      {"{tool: s/find, arguments: {order: {from: /order}}, " + settled + "}", asked, "", ""},
		"from inside an argument":   {"{tool: s/find, arguments: {order: {from: /act/id}}, " + settled + "}", asked, "", ""},
		"beside what is sensitive":  {"{tool: s/find, arguments: {order: {from: /card/holder}}, " + settled + "}", asked, "", ""},
		"it may change something":   {"{tool: s/find, arguments: {order: {from: /order}}, " + settled + "}", "{safety: destructive, risk: low}", "s/find is not read-only", ""},
		"nobody says that it reads": {"{tool: s/find, arguments: {order: {from: /order}}, " + settled + "}", "", "s/find is not read-only", ""},
		"itself":                    {"{tool: s/pay, arguments: {order: {from: /order}}, " + settled + "}", asked, "another tool", ""},
		"of a tool that only reads": {"{tool: s/find, arguments: {order: {from: /order}}, " + settled + "}, safety: read-only", asked, "no unknown outcome", ""},
		"a method that changes":     {"{tool: s/@tasks/cancel, arguments: {taskId: {from: /order}}, " + settled + "}", asked, "is not read-only", ""},
		"a method that reads":       {"{tool: s/@tasks/get, arguments: {taskId: {from: /order}}, " + settled + "}", asked, "", ""},
		"what may be missing":       {"{tool: s/find, arguments: {order: {from: /note}}, " + settled + "}", asked, "/note, which is not a required argument", ""},
		"what is not there":         {"{tool: s/find, arguments: {order: {from: /ordr}}, " + settled + "}", asked, "/ordr, which is not a required argument", ""},
		"in what it looks for":      {"{tool: s/find, arguments: {order: {from: /order}}, settled: {failed: {/x: [1, {from: /note}]}}}", asked, "/note, which is not a required argument", ""},
		"what is sensitive":         {"{tool: s/find, arguments: {order: {from: /card/no}}, " + settled + "}", asked, "/card/no is sensitive", ""},
		"around what is sensitive":  {"{tool: s/find, arguments: {order: {from: /card}}, " + settled + "}", asked, "/card/no is sensitive", ""},
		"below a star":              {"{tool: s/find, arguments: {order: {from: /deep/a/b}}, " + settled + "}", asked, "/deep/*/b is sensitive", ""},
		"not listed":                {"{tool: s/fnd, arguments: {order: {from: /order}}, " + settled + "}", asked, "", "s/fnd, is not listed"},
		"an argument too many":      {"{tool: s/find, arguments: {order: {from: /order}, odd: 1}, " + settled + "}", asked, "", `s/find takes no argument "odd"`},
		"an argument too few":       {"{tool: s/find, " + settled + "}", asked, "", `s/find needs the argument "order"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			built, report := shop(t, c.reconcile, c.asked)
			reason, held := built.Quarantined("s/pay")
			_, listed := built.Tool("s/pay")
			if held != (c.held != "") || held == listed || !strings.Contains(reason, c.held) {
				t.Errorf("held %v, listed %v: %s", held, listed, reason)
			}
			if warned := strings.Join(report.Warnings, "\n"); !strings.Contains(warned, c.warning) || c.warning == "" && warned != "" {
				t.Errorf("warned of %q", warned)
			}
			e, _ := report.Entry("s/pay")
			if (e.State == catalog.Refused) != held || held && e.Seen.Hash != "" {
				t.Errorf("reported as %s, with the pin %q", e.State, e.Seen.Hash)
			}
		})
	}
}

func TestReconcileErrors(t *testing.T) {
	t.Parallel()
	editor := published(t)
	const tool, settled = "tool: s/find", "settled: {succeeded: {/state: paid}}"
	for entry, want := range map[string]string{
		"find":                                                              "reconcile must be a mapping",
		"{" + tool + "}":                                                    `reconcile: "settled" is missing`,
		"{" + settled + "}":                                                 `reconcile: "tool" is missing`,
		"{tool: find, " + settled + "}":                                     `reconcile tool "find": name one tool, as SERVER/TOOL`,
		"{tool: s/*, " + settled + "}":                                      `reconcile tool "s/*": name one tool`,
		"{tool: [s/find], " + settled + "}":                                 "reconcile tool must be text",
		"{" + tool + ", argument: {}, " + settled + "}":                     `unknown key "argument": did you mean "arguments"?`,
		"{" + tool + ", arguments: {}, " + settled + "}":                    "reconcile arguments is empty",
		"{" + tool + ", arguments: {a: [1]}, " + settled + "}":              "reconcile argument a must be a value, or {from: /argument}",
		"{" + tool + ", arguments: {a: {form: /x}}, " + settled + "}":       "reconcile argument a must be a value, or {from: /argument}",
		"{" + tool + ", arguments: {a: {from: x}}, " + settled + "}":        `"x" is not a JSON pointer`,
		"{" + tool + ", arguments: {a: {from: /x/*}}, " + settled + "}":     "* is not accepted here",
		"{" + tool + ", arguments: {a: null}, " + settled + "}":             "reconcile argument a must be a value",
		"{" + tool + ", settled: {}}":                                       "settled: say what the answer must hold",
		"{" + tool + ", settled: {failedAfter: 1m}}":                        "settled: say what the answer must hold",
		"{" + tool + ", settled: {done: {/a: 1}}}":                          `settled: unknown key "done"`,
		"{" + tool + ", settled: {succeeded: {}}}":                          "settled succeeded is empty",
		"{" + tool + ", settled: {succeeded: paid}}":                        "settled succeeded must be a mapping",
		"{" + tool + ", settled: {succeeded: {state: paid}}}":               `"state" is not a JSON pointer`,
		"{" + tool + ", settled: {succeeded: {/a/*: paid}}}":                "* is not accepted here",
		"{" + tool + ", settled: {succeeded: {/a: []}}}":                    "must be a value",
		"{" + tool + ", settled: {succeeded: {/a: [[1]]}}}":                 "must be a value",
		"{" + tool + ", settled: {succeeded: {/a: {exists: yes}}}}":         "exists takes true or false",
		"{" + tool + ", settled: {succeeded: {/a: {exists: true, is: 1}}}}": "must be a value",
		"{" + tool + ", settled: {failed: {/a: 1}, failedAfter: 0s}}":       "failedAfter",
		"{" + tool + ", settled: {failed: {" + places(9) + "}}}":            "at most 8 places",
	} {
		src := "tools: {s/pay: {reconcile: " + entry + "}}"
		_, err := catalog.ParseOverlay("c.yaml", []byte(src))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", entry, err, want)
		}
		if v, ok := asJSON(src); ok && !strings.Contains(entry, "0s") && editor.Validate(v) == nil {
			t.Errorf("%s: the published schema accepts it", entry)
		}
	}
	good := "tools: {s/pay: {reconcile: {" + tool + ", arguments: {a: {from: /x}, b: 1.5}, settled: {failed: {" + places(8) + ", }, succeeded: {/a: {from: /x}}}}}}"
	if _, err := catalog.ParseOverlay("c.yaml", []byte(good)); err != nil {
		t.Error(err)
	}
	if v, ok := asJSON(good); !ok || len(editor.Validate(v)) > 0 {
		t.Errorf("the published schema refuses it: %v", editor.Validate(v))
	}
}

func places(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("/p%d: {exists: true}", i))
	}
	return strings.Join(all, ", ")
}
