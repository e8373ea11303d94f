// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enginebench

import (
	"fmt"
	"strconv"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"
)

// Casbin calls a function for each rule of the tool. It knows no third verdict,
// so that ask takes a second enforcer, over the ask rules alone.
func Casbin(w *Workload) (Engine, error) {
	all, err := enforcer(w, func(Verdict) bool { return true })
	if err != nil {
		return nil, err
	}
	asks, err := enforcer(w, func(v Verdict) bool { return v == Ask })
	if err != nil {
		return nil, err
	}
	return func(call int) (Verdict, error) {
		c := &w.Calls[call]
		allowed, err := all.Enforce(c.Tool, c)
		if err != nil || !allowed {
			return Deny, err
		}
		if asked, err := asks.Enforce(c.Tool, c); err != nil || asked {
			return Ask, err
		}
		return Allow, nil
	}, nil
}

const casbinModel = `
[request_definition]
r = tool, call

[policy_definition]
p = tool, rule, eft

[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))

[matchers]
m = r.tool == p.tool && holds(p.rule, r.call)
`

func enforcer(w *Workload, takes func(Verdict) bool) (*casbin.Enforcer, error) {
	m, err := model.NewModelFromString(casbinModel)
	if err != nil {
		return nil, fmt.Errorf("read model: %w", err)
	}
	e, err := casbin.NewEnforcer(m)
	if err != nil {
		return nil, fmt.Errorf("make enforcer: %w", err)
	}
	tests := make([][]func(*Call) bool, len(w.Rules))
	for i, r := range w.Rules {
		for _, t := range r.Tests {
			tests[i] = append(tests[i], t.compiled())
		}
		for _, tool := range r.Tools {
			effect := "allow"
			if r.Verdict == Deny {
				effect = "deny"
			}
			if !takes(r.Verdict) {
				continue
			}
			if _, err := e.AddPolicy(tool, strconv.Itoa(i), effect); err != nil {
				return nil, fmt.Errorf("add rule: %w", err)
			}
		}
	}
	e.AddFunction("holds", func(args ...any) (any, error) {
		i, err := strconv.Atoi(args[0].(string)) //nolint:forcetypeassert // the policy above
		if err != nil {
			return false, fmt.Errorf("read rule: %w", err)
		}
		for _, holds := range tests[i] {
			if !holds(args[1].(*Call)) { //nolint:forcetypeassert // as above
				return false, nil
			}
		}
		return true, nil
	})
	return e, nil
}
