// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enginebench

import (
	"fmt"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
)

// CELByTool keeps a list of compiled expressions for each tool.
func CELByTool(w *Workload) (Engine, error) {
	programs, err := celPrograms(w, false)
	if err != nil {
		return nil, err
	}
	byTool := map[string][]celRule{}
	for i, r := range w.Rules {
		for _, tool := range r.Tools {
			byTool[tool] = append(byTool[tool], programs[i])
		}
	}
	facts := celFacts(w)
	return func(call int) (Verdict, error) {
		return celDecide(byTool[w.Calls[call].Tool], facts[call])
	}, nil
}

// CELAll evaluates the expressions of all rules, which name their tools.
func CELAll(w *Workload) (Engine, error) {
	programs, err := celPrograms(w, true)
	if err != nil {
		return nil, err
	}
	facts := celFacts(w)
	return func(call int) (Verdict, error) { return celDecide(programs, facts[call]) }, nil
}

type celRule struct {
	verdict Verdict
	program cel.Program
}

// celDecide evaluates all rules, because a decision names every one that matched.
func celDecide(rules []celRule, facts map[string]any) (Verdict, error) {
	verdict, found := Allow, false
	for _, r := range rules {
		out, _, err := r.program.Eval(facts)
		if err != nil {
			return Deny, fmt.Errorf("evaluate: %w", err)
		}
		if out.Value() == true {
			verdict, found = max(verdict, r.verdict), true
		}
	}
	if !found {
		return Deny, nil
	}
	return verdict, nil
}

func celPrograms(w *Workload, tool bool) ([]celRule, error) {
	var variables []cel.EnvOption
	for _, name := range []string{"tool", "path", "to", "command", "url", "stage", "role"} {
		variables = append(variables, cel.Variable(name, cel.StringType))
	}
	env, err := cel.NewEnv(append(variables, cel.Variable("amount", cel.IntType))...)
	if err != nil {
		return nil, fmt.Errorf("make environment: %w", err)
	}
	out := make([]celRule, len(w.Rules))
	for i, r := range w.Rules {
		checked, issues := env.Compile(r.cel(tool))
		if issues.Err() != nil {
			return nil, fmt.Errorf("compile %s: %w", r.ID, issues.Err())
		}
		program, err := env.Program(checked, cel.EvalOptions(cel.OptOptimize))
		if err != nil {
			return nil, fmt.Errorf("compile %s: %w", r.ID, err)
		}
		out[i] = celRule{r.Verdict, program}
	}
	return out, nil
}

// celFacts are the calls as the variables of the expressions.
func celFacts(w *Workload) []map[string]any {
	out := make([]map[string]any, len(w.Calls))
	for i, c := range w.Calls {
		out[i] = map[string]any{"tool": c.Tool, "amount": c.Amount}
		for name, text := range c.Texts {
			out[i][name] = text
		}
	}
	return out
}

func (r Rule) cel(tool bool) string {
	parts := []string{"true"}
	if tool {
		parts[0] = "tool in " + quoted(r.Tools)
		if len(r.Tools) == 1 {
			parts[0] = "tool == " + strconv.Quote(r.Tools[0])
		}
	}
	for _, t := range r.Tests {
		switch t.Op {
		case Equal:
			parts = append(parts, t.Field+" == "+strconv.Quote(t.Texts[0]))
		case Among:
			parts = append(parts, t.Field+" in "+quoted(t.Texts))
		case Prefix:
			parts = append(parts, t.Field+".startsWith("+strconv.Quote(t.Texts[0])+")")
		case Framed:
			parts = append(parts, t.Field+".matches("+strconv.Quote("^(?:"+t.pattern()+")$")+")")
		case Above:
			parts = append(parts, fmt.Sprintf("amount > %d", t.Least))
		}
	}
	return strings.Join(parts, " && ")
}

// quoted is a list of texts as several engines write it.
func quoted(texts []string) string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = strconv.Quote(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
