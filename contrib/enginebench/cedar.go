// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enginebench

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
)

// CedarAll asks Cedar as its documentation does: with the whole set.
func CedarAll(w *Workload) (Engine, error) {
	made, err := newCedar(w)
	if err != nil {
		return nil, err
	}
	return func(call int) (Verdict, error) { return made.decide(made.all, call) }, nil
}

// CedarByTool shows Cedar only the policies of the tool.
func CedarByTool(w *Workload) (Engine, error) {
	made, err := newCedar(w)
	if err != nil {
		return nil, err
	}
	return func(call int) (Verdict, error) { return made.decide(made.byTool[w.Calls[call].Tool], call) }, nil
}

// cedarEngine has permit for allow and ask, told apart by their names, and
// forbid for deny.
type cedarEngine struct {
	all      *cedar.PolicySet
	byTool   map[string]policies
	asks     map[cedar.PolicyID]bool
	requests []cedar.Request
}

type named struct {
	id     cedar.PolicyID
	policy *cedar.Policy
}

// policies are some of a set.
type policies []named

// All implements [cedar.PolicyIterator].
func (p policies) All() iter.Seq2[cedar.PolicyID, *cedar.Policy] {
	return func(yield func(cedar.PolicyID, *cedar.Policy) bool) {
		for _, n := range p {
			if !yield(n.id, n.policy) {
				return
			}
		}
	}
}

func newCedar(w *Workload) (*cedarEngine, error) {
	e := &cedarEngine{all: cedar.NewPolicySet(), byTool: map[string]policies{}, asks: map[cedar.PolicyID]bool{}}
	for _, r := range w.Rules {
		p := &cedar.Policy{}
		if err := p.UnmarshalCedar([]byte(r.cedar())); err != nil {
			return nil, fmt.Errorf("parse %s: %w", r.ID, err)
		}
		id := cedar.PolicyID(r.ID)
		e.all.Add(id, p)
		for _, tool := range r.Tools {
			e.byTool[tool] = append(e.byTool[tool], named{id, p})
		}
		e.asks[id] = r.Verdict == Ask
	}
	for _, c := range w.Calls {
		facts := types.RecordMap{"amount": types.Long(c.Amount)}
		for name, text := range c.Texts {
			facts[types.String(name)] = types.String(text)
		}
		e.requests = append(e.requests, cedar.Request{
			Principal: cedar.NewEntityUID("User", "u1"), Action: cedar.NewEntityUID("Action", types.String(c.Tool)),
			Resource: cedar.NewEntityUID("Tool", "any"), Context: types.NewRecord(facts),
		})
	}
	return e, nil
}

func (e *cedarEngine) decide(set cedar.PolicyIterator, call int) (Verdict, error) {
	decision, why := cedar.Authorize(set, types.EntityMap{}, e.requests[call])
	if len(why.Errors) > 0 {
		return Deny, fmt.Errorf("evaluate: %s", why.Errors[0].Message)
	}
	if decision == cedar.Deny {
		return Deny, nil
	}
	for _, r := range why.Reasons {
		if e.asks[r.PolicyID] {
			return Ask, nil
		}
	}
	return Allow, nil
}

func (r Rule) cedar() string {
	effect := "permit"
	if r.Verdict == Deny {
		effect = "forbid"
	}
	var actions []string
	for _, tool := range r.Tools {
		actions = append(actions, "Action::"+strconv.Quote(tool))
	}
	scope := "action == " + actions[0]
	if len(actions) > 1 {
		scope = "action in [" + strings.Join(actions, ", ") + "]"
	}
	var parts []string
	for _, t := range r.Tests {
		field := "context." + t.Field
		switch t.Op {
		case Equal:
			parts = append(parts, field+" == "+strconv.Quote(t.Texts[0]))
		case Among:
			parts = append(parts, quoted(t.Texts)+".contains("+field+")")
		case Prefix:
			parts = append(parts, field+" like "+strconv.Quote(t.Texts[0]+"*"))
		case Framed:
			parts = append(parts, field+" like "+strconv.Quote(t.Texts[0]+"*"+t.Texts[1]))
		case Above:
			parts = append(parts, fmt.Sprintf("context.amount > %d", t.Least))
		}
	}
	if len(parts) == 0 {
		parts = []string{"true"}
	}
	return fmt.Sprintf("%s(principal, %s, resource) when { %s };", effect, scope, strings.Join(parts, " && "))
}
