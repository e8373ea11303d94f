// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/near"
	"github.com/toolverdict/toolverdict/wire"
	"github.com/toolverdict/toolverdict/wire/toolname"
)

// Words says more of refusals than the pipeline can. It changes words only.
type Words struct {
	Visible func(ctx context.Context, s tv.Subject, r tv.Run) ([]*tv.Tool, error)
	Get     func(ctx context.Context, by tv.Subject, id string) (tv.Approval, error)
	Held    func(tool string) (string, bool) // why a tool waits for review, fit to be shown
}

// Explain puts words to a refusal. Of a tool that was not found it says that
// it waits for review, or which one was probably meant.
func (f *Words) Explain(ctx context.Context, c *Call, res *tv.Result) {
	if c.faulty(res) {
		return
	}
	p := &c.Proposal
	if res.Error == nil || res.Error.Code != tv.UnknownTool {
		return
	}
	tool := p.Tool
	if tool == "" { // the tool of a stored call is known to those it concerns
		if a, err := f.Get(ctx, p.Subject, p.Confirmation); err == nil {
			tool = a.Card.Tool
		}
	}
	if reason, held := f.Held(tool); held {
		res.Error.Message = "This tool waits for an operator's review and cannot be called: " + strings.TrimSuffix(reason, ".") + "."
		res.Error.RecommendedAction = "Ask an operator to review it with: toolverdict tools diff."
		return
	}
	if meant := f.meant(ctx, p.Subject, p.Run, tool); meant != "" {
		res.Error.RecommendedAction = strings.TrimSpace(fmt.Sprintf("Did you mean %q? %s", meant, res.Error.RecommendedAction))
	}
}

// meant returns the tool that was probably meant, of those that the caller may
// see in this run: nobody is told of what is hidden from them.
func (f *Words) meant(ctx context.Context, by tv.Subject, run tv.Run, tool string) string {
	visible, err := f.Visible(ctx, by, run)
	if err != nil || tool == "" {
		return ""
	}
	var names, ends []string
	for _, t := range visible {
		if strings.Contains(t.Name(), "/@") {
			continue // a method of the protocol, which nobody calls by name here
		}
		names = append(names, t.Name())
		if strings.HasSuffix(t.Name(), "/"+tool) {
			ends = append(ends, t.Name())
		}
	}
	if len(ends) == 1 {
		return ends[0]
	}
	return near.Word(tool, names)
}

// faulty says of a call in a message what was wrong with it, or why nothing can
// be decided about it.
func (c *Call) faulty(res *tv.Result) bool {
	if res.Error == nil {
		return false
	}
	switch {
	case c.Wire.Fault != "" && res.Error.Code == tv.MalformedCall:
		res.Error.Message = "The call cannot be read: " + c.Wire.Fault + "."
		res.Error.Details = nil
	case c.Wire.Kind == wire.Hosted && res.Error.Code == tv.UnknownTool:
		res.Error.Message = "The model's provider ran this call itself, outside the gate: nothing could be decided about it."
		res.Error.RecommendedAction = "Switch the provider's own tools off where calls must be decided."
	case c.Wire.Kind == wire.Unknown && res.Error.Code == tv.UnknownTool:
		res.Error.Message = "This is a kind of call that the gate does not know."
		res.Error.RecommendedAction = "Do not run it."
	default:
		return false
	}
	return true
}

// named finds the tool's name in a body that is no strict JSON.
func named(body []byte) string {
	var in struct {
		Tool string `json:"tool"`
	}
	_ = json.Unmarshal(body, &in)
	return in.Tool
}

// Answers are the messages that tell a model what came of its calls.
func (a *Asked) Answers(results []tv.Result) (json.RawMessage, error) {
	all := make([]wire.Answer, len(a.Calls))
	for i := range a.Calls {
		var err error
		if all[i], err = Told(a.Calls[i].Wire, &results[i]); err != nil {
			return nil, err
		}
	}
	return wire.Messages(a.Shape, all)
}

// Answer is the part of a message that tells a model what came of one call.
func (a *Asked) Answer(i int, res *tv.Result) (json.RawMessage, error) {
	told, err := Told(a.Calls[i].Wire, res)
	if err != nil {
		return nil, err
	}
	return wire.One(a.Shape, told)
}

// InMessage is the call as it would stand in a message.
func (c *Call) InMessage() wire.Call {
	if c.Wire.Kind != "" {
		return c.Wire
	}
	return wire.Call{ID: c.Proposal.ID, Kind: wire.Function, Name: c.Proposal.Tool}
}

// Told is what a model is told of a result: the tool's own answer, or all that
// the gate says.
func Told(c wire.Call, res *tv.Result) (wire.Answer, error) {
	a := wire.Answer{Call: c, OK: res.Success, Content: res.Content}
	if res.Success && len(res.Content) > 0 {
		return a, nil
	}
	b, err := json.Marshal(res)
	if err != nil {
		return a, fmt.Errorf("write answer: %w", err)
	}
	a.Content = b
	return a, nil
}

// Shapes are the forms of messages and tool lists.
func Shapes() []wire.Shape { return wire.Shapes() }

// Tools lists tools in the form in which a request to a model carries them.
func (r *Reader) Tools(shape wire.Shape, shown []*tv.Tool) (json.RawMessage, error) {
	names := toolname.New(fullNames(r.All()))
	var all []wire.Tool
	for _, t := range shown {
		d := t.Definition()
		name, ok := d.Name, true
		if shape != wire.Plain {
			name, ok = names.Short(d.Name)
		}
		if strings.Contains(d.Name, "/@") || !ok {
			continue // a method of the protocol, which no model calls; or one that cannot be named
		}
		all = append(all, wire.Tool{Name: name, Description: d.Description, Schema: d.InputSchema})
	}
	return wire.Tools(shape, all)
}
