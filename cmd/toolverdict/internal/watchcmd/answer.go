// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package watchcmd

import (
	"context"
	"fmt"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

const help = "show CODE, approve CODE [REASON], reject CODE REASON, quit"

// obey does what was typed, and reports whether to end.
func (w *watch) obey(ctx context.Context, line string) (done bool) {
	verb, rest := cut(line)
	code, reason := cut(rest)
	switch verb {
	case "":
	case "quit", "q", "exit":
		return true
	case "show", "s", "approve", "a", "reject", "r":
		v, err := w.one(ctx, code)
		if err == nil {
			err = w.answer(ctx, verb[:1], v, reason)
		}
		if err != nil {
			w.view.say(err.Error())
		}
	default:
		w.view.say("type one of: " + help)
	}
	return false
}

// cut takes the first word off a line.
func cut(line string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	return word, strings.TrimSpace(rest)
}

// one finds the approval that is meant, with all that its card says. A place in
// the list would not do for a name: the list changes while somebody types.
func (w *watch) one(ctx context.Context, code string) (*client.Approval, error) {
	var ids []string
	for i := range w.last {
		v := &w.last[i]
		if code != "" && (strings.EqualFold(code, v.Code) || code == v.ID) {
			ids = append(ids, v.ID)
		}
	}
	switch len(ids) {
	case 0:
		return nil, fmt.Errorf("nothing with the code %q waits", cli.Line(code))
	case 1:
	default:
		return nil, fmt.Errorf("several have the code %s: name one by its id: %s", cli.Line(code), strings.Join(ids, ", "))
	}
	ctx, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	v, err := w.gate.Approval(ctx, ids[0])
	return &v, err
}

func (w *watch) answer(ctx context.Context, verb string, v *client.Approval, reason string) error {
	switch verb {
	case "a":
		return w.approve(ctx, v, reason)
	case "r":
		if reason == "" {
			w.talk.page()
			reason = w.ask(ctx, "reason, which the agent is told: ")
		}
		if reason == "" {
			return fmt.Errorf("%s was not rejected: no reason was given", v.Code)
		}
		return w.decide(ctx, v, "reject", reason)
	}
	stays, err := w.display(v)
	if err == nil && !stays {
		w.ask(ctx, "Enter leads back to the list: ")
	}
	return err
}

// approve lets nobody approve what they were not shown, and high risk not in
// passing. What is no known risk counts as high.
func (w *watch) approve(ctx context.Context, v *client.Approval, reason string) error {
	high := v.Card.Risk != tv.LowRisk && v.Card.Risk != tv.MediumRisk
	seen := w.shown[v.ID]
	if high || !seen {
		if _, err := w.display(v); err != nil {
			return err
		}
	}
	switch {
	case high:
		if reason == "" {
			reason = w.ask(ctx, "this is of high risk. Your reason, which is recorded: ")
		}
		if reason == "" {
			return fmt.Errorf("%s was not approved: high risk needs a reason", v.Code)
		}
		if typed := w.ask(ctx, "type its code to approve it: "); !strings.EqualFold(typed, v.Code) {
			return fmt.Errorf("%s was not approved: that is not its code", v.Code)
		}
	case !seen:
		if typed := w.ask(ctx, "approve this call? yes or no: "); typed != "yes" && typed != "y" {
			return fmt.Errorf("%s was not approved", v.Code)
		}
	}
	return w.decide(ctx, v, "approve", reason)
}

func (w *watch) decide(ctx context.Context, v *client.Approval, verb, reason string) error {
	ctx, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	now, err := w.gate.Decide(ctx, v.ID, verb, reason)
	if err != nil {
		return fmt.Errorf("%s: %w", v.Code, err)
	}
	if now.State == tv.ApprovalPending {
		w.view.say(v.Code + " has your answer, and waits for that of others")
		return nil
	}
	w.forget(v.ID)
	w.view.say(v.Code + " is " + string(now.State))
	return nil
}

// display shows a card with all there is to it, and reports whether it stays.
func (w *watch) display(v *client.Approval) (stays bool, err error) {
	stays = w.talk.page()
	if err = w.card(v); err == nil {
		w.shown[v.ID] = true
	}
	return stays, err
}

// ask asks for one line; "" is an answer, and what there is when nobody can.
func (w *watch) ask(ctx context.Context, question string) string {
	w.talk.prompt(question)
	if w.lines == nil {
		return ""
	}
	select {
	case line, more := <-w.lines:
		if !more {
			w.lines = nil
		}
		return strings.TrimSpace(line)
	case <-ctx.Done():
		return ""
	}
}
