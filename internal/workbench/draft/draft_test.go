// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package draft_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/workbench/draft"
	"github.com/toolverdict/toolverdict/policy"
)

type anything struct{}

func (anything) Clash(tv.Value) (tv.FieldError, bool) { return tv.FieldError{}, false }

func (anything) Validate(tv.Value) []tv.FieldError { return nil }

// Whatever stands in a text, it reads back as that text: nothing in it ends its
// quotes or its comment, or becomes another type.
func TestTextsReadBack(t *testing.T) {
	t.Parallel()
	tool, err := tv.NewTool(tv.Definition{Name: "s/t", Server: "s", Safety: tv.ReadOnly, Risk: tv.LowRisk, Confirmation: tv.ConfirmByRisk, Execution: tv.Parallel}, anything{})
	if err != nil {
		t.Fatal(err)
	}
	odd := rapid.SampledFrom([]string{"yes", "No", "null", "~", "1e3", "0x1", "-", "- a", "a: b", "a #b", "#", "{a", "[", "&a", "*a", "!t", "|", ">", "%", "@", "`", `"`, `\`, "'", "a\nb", "a\r", "\u2028", "\u202e", "\ufeff", "\u00a0", "é", "😀", "a ", " a", "", "2025-01-01", "=", "<<", "\x7f", "\x00"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.OneOf(odd, rapid.StringN(0, 8, 32)), 1, 4).Draw(t, "parts"), "")
		value := canon.String(text)
		if value.IsZero() || text == "" {
			return
		}
		name := rapid.SampledFrom([]string{"plain", "odd name", "a.b", `q"q`, "é", "[*]"}).Draw(t, "name")
		f := draft.File{Policy: "p", Version: "v1", Comments: []string{text, "x\n- id: y"}, Rules: []draft.Rule{{
			Comments: []string{text}, ID: "a", Verdict: tv.Allow, Reason: "r", Tools: []string{"s/t"},
			When: draft.One(draft.Argument(name), draft.One("in", []any{text, draft.Map{}}[:1])),
		}}}
		set, _, err := policy.Compile([]policy.File{{Name: "p.yaml", Content: f.YAML()}}, nil, policy.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, f.YAML())
		}
		d := set.Decide(tv.Request{Tool: tool, Arguments: canon.Object(canon.Member{Name: name, Value: value})})
		if d.Verdict != tv.Allow {
			t.Fatalf("%q was not read back\n%s", text, f.YAML())
		}
	})
}

func TestLongConditionsAreWrittenOnSeveralLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 12) + "x"
	cond := draft.Either(
		draft.Both(draft.One("args.a", draft.One("eq", long)), draft.One("args.b", draft.One("eq", long))),
		draft.Both(draft.One("args.a", draft.One("eq", "1")), draft.One("args.a", draft.One("eq", "2"))),
	)
	f := draft.File{Policy: "p", Version: "v1", Default: tv.Allow, Rules: []draft.Rule{{ID: "a", Verdict: tv.Deny, Reason: "r", Tools: []string{"s/t", "u/*"}, When: cond, Unless: draft.One("args.c", draft.Texts(long, long+"y"))}}}
	text := string(f.YAML())
	if _, _, err := policy.Compile([]policy.File{{Name: "p.yaml", Content: []byte(text)}}, nil, policy.Options{}); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	for _, part := range []string{"unsafeDefaultAllow: true\n", "all: [{args.a: {eq: \"1\"}}, {args.a: {eq: \"2\"}}]", "\n          args.b:"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}
