// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/console/tools"
)

func TestDifferences(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change catalog.Change
		want   tools.Difference
	}{
		"words in the middle": {
			catalog.Change{Path: "/description", Before: json.RawMessage(`"Sends a mail to one customer."`), After: json.RawMessage(`"Sends a mail to everybody."`)},
			tools.Difference{
				Path:   []string{"description"},
				Before: []tools.Span{{Text: "Sends a mail to "}, {Text: "one customer", Changed: true}, {Text: "."}},
				After:  []tools.Span{{Text: "Sends a mail to "}, {Text: "everybody", Changed: true}, {Text: "."}},
			},
		},
		"added": {
			catalog.Change{Path: "/inputSchema/properties/a~1b~0", After: json.RawMessage(`{"type":"string"}`)},
			tools.Difference{Path: []string{"inputSchema", "properties", "a/b~"}, After: []tools.Span{{Text: "{\n  \"type\": \"string\"\n}", Changed: true}}},
		},
		"taken away": {
			catalog.Change{Path: "/title", Before: json.RawMessage(`"Mail"`)},
			tools.Difference{Path: []string{"title"}, Before: []tools.Span{{Text: "Mail", Changed: true}}},
		},
		"made empty": {
			catalog.Change{Path: "/title", Before: json.RawMessage(`"Mail"`), After: json.RawMessage(`""`)},
			tools.Difference{Path: []string{"title"}, Before: []tools.Span{{Text: "Mail", Changed: true}}, After: []tools.Span{{}}},
		},
		"what is not seen": {
			catalog.Change{Path: "/ti\u202etle", Before: json.RawMessage(`"Mail"`), After: json.RawMessage("\"Mail\u200b\"")},
			tools.Difference{
				Path:   []string{`ti\u{202E}tle`},
				Before: []tools.Span{{Text: "Mail"}},
				After:  []tools.Span{{Text: "Mail"}, {Text: `\u{200B}`, Changed: true}},
			},
		},
		"numbers": {
			catalog.Change{Path: "/x", Before: json.RawMessage(`1`), After: json.RawMessage(`true`)},
			tools.Difference{Path: []string{"x"}, Before: []tools.Span{{Text: "1", Changed: true}}, After: []tools.Span{{Text: "true", Changed: true}}},
		},
	} {
		if diff := cmp.Diff([]tools.Difference{c.want}, tools.Differences([]catalog.Change{c.change})); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// Nothing of either side may be lost, and what is not marked is the same on both.
func TestSpansHoldTheWholeText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab é . \n中")))
		sides := []string{text.Draw(t, "before"), text.Draw(t, "after")}
		raw := make([]json.RawMessage, 2)
		for i, s := range sides {
			raw[i], _ = json.Marshal(s)
		}
		d := tools.Differences([]catalog.Change{{Path: "/x", Before: raw[0], After: raw[1]}})[0]
		var same [2]string
		for i, spans := range [][]tools.Span{d.Before, d.After} {
			var all strings.Builder
			for _, s := range spans {
				all.WriteString(s.Text)
				if !s.Changed {
					same[i] += s.Text
				}
			}
			if all.String() != sides[i] {
				t.Fatalf("%q is shown as %q", sides[i], all.String())
			}
		}
		if same[0] != same[1] {
			t.Fatalf("the same on both sides: %q and %q", same[0], same[1])
		}
		if (sides[0] == sides[1]) != (same[0] == sides[0] && same[1] == sides[1]) {
			t.Fatalf("%q and %q are shown as the same", sides[0], sides[1])
		}
	})
}

func TestAddedShowsWhatAModelReadsFirst(t *testing.T) {
	t.Parallel()
	got := tools.Added(json.RawMessage(`{"name":"mail","inputSchema":{"type":"object"},"zeta":1,"description":"Sends.","_meta":{}}`))
	var paths []string
	for _, d := range got {
		paths = append(paths, strings.Join(d.Path, "/"))
		if d.Before != nil || len(d.After) != 1 || !d.After[0].Changed {
			t.Errorf("%v is not all new", d)
		}
	}
	if diff := cmp.Diff([]string{"description", "inputSchema", "_meta", "zeta"}, paths); diff != "" {
		t.Error(diff)
	}
}
