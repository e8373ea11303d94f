// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enginebench

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

// OPA is Rego in the style that it is quickest in: one boolean for each verdict,
// rules that begin with an equality on the tool, one rule for each tool, a
// prepared query and an input that is parsed already.
func OPA(w *Workload) (Engine, error) {
	ctx := context.Background()
	query, err := rego.New(rego.Query("data.bench.verdict"), rego.Module("bench.rego", w.rego())).PrepareForEval(ctx)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	inputs := make([]ast.Value, len(w.Calls))
	for i, c := range w.Calls {
		facts := map[string]any{"tool": c.Tool, "amount": c.Amount}
		for name, text := range c.Texts {
			facts[name] = text
		}
		if inputs[i], err = ast.InterfaceToValue(facts); err != nil {
			return nil, fmt.Errorf("write input: %w", err)
		}
	}
	return func(call int) (Verdict, error) {
		found, err := query.Eval(ctx, rego.EvalParsedInput(inputs[call]))
		if err != nil {
			return Deny, fmt.Errorf("evaluate: %w", err)
		}
		if len(found) == 1 {
			switch found[0].Expressions[0].Value {
			case "allow":
				return Allow, nil
			case "ask":
				return Ask, nil
			}
		}
		return Deny, nil
	}, nil
}

func (w *Workload) rego() string {
	var b strings.Builder
	b.WriteString("package bench\n\ndefault deny := false\n\ndefault ask := false\n\ndefault allow := false\n\ndefault verdict := \"deny\"\n\nverdict := \"deny\" if {\n\tdeny\n} else := \"ask\" if {\n\task\n} else := \"allow\" if {\n\tallow\n}\n\n")
	for _, r := range w.Rules {
		for _, tool := range r.Tools {
			fmt.Fprintf(&b, "%s if {\n\tinput.tool == %q\n", r.Verdict, tool)
			for _, t := range r.Tests {
				b.WriteString("\t" + t.rego() + "\n")
			}
			b.WriteString("}\n\n")
		}
	}
	return b.String()
}

func (t Test) rego() string {
	field := "input." + t.Field
	switch t.Op {
	case Equal:
		return field + " == " + strconv.Quote(t.Texts[0])
	case Among:
		return field + " in {" + strings.Trim(quoted(t.Texts), "[]") + "}"
	case Prefix:
		return "startswith(" + field + ", " + strconv.Quote(t.Texts[0]) + ")"
	case Framed:
		return "regex.match(" + strconv.Quote("^(?:"+t.pattern()+")$") + ", " + field + ")"
	default:
		return fmt.Sprintf("input.amount > %d", t.Least)
	}
}
