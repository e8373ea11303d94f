// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/guard/loop"
	"github.com/toolverdict/toolverdict/standard"
	"github.com/toolverdict/toolverdict/wire"
)

//go:embed catalog.yaml policy.yaml
var files embed.FS

// agent is a model, its tools and the person at the terminal.
type agent struct {
	gate *standard.Gate
	loop loop.Loop
	in   *bufio.Scanner
	out  io.Writer
	yes  bool
}

// person is who sits at the terminal. An agent cannot approve its own calls.
func person() toolverdict.Subject {
	return toolverdict.Subject{ID: "ann", Kind: toolverdict.Person, Roles: []string{"approver"}}
}

func newAgent(ctx context.Context, folder string, in io.Reader, out io.Writer, yes bool) (*agent, error) {
	for _, name := range []string{"catalog.yaml", "policy.yaml"} {
		b, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o600); err != nil {
			return nil, err
		}
	}
	// The functions below run only with leave of this gate.
	gate, err := standard.OpenClaims(ctx, folder)
	if err != nil {
		return nil, err
	}
	shop := gate.Guard(toolverdict.Subject{ID: "support-agent", Kind: toolverdict.Agent, User: "bob"}, "shop")
	return &agent{gate: gate, in: bufio.NewScanner(in), out: out, yes: yes, loop: loop.Loop{
		Guard: shop, Shape: wire.OpenAIChat, Tools: map[string]loop.Tool{
			"order":  loop.Tool(standard.Typed(order)),
			"refund": loop.Tool(standard.Typed(refund)),
		},
	}}, nil
}

// work is the loop: the model speaks, its calls are answered, until it makes none.
func (a *agent) work(ctx context.Context) error {
	m := &model{}
	var answers json.RawMessage
	for turn := 1; ; turn++ {
		said, message := m.next(answers)
		fmt.Fprintf(a.out, "model:  %s\n", fit(said))
		if message == nil {
			return nil
		}
		for _, c := range calls(message) {
			fmt.Fprintf(a.out, "  calls %s %s\n", fit(c.Name), fit(string(c.Arguments)))
		}
		var err error
		if answers, err = a.loop.Answer(ctx, message, fmt.Sprint(turn)); err != nil {
			return err
		}
		for _, told := range texts(answers) {
			fmt.Fprintf(a.out, "  is told %s\n", fit(short(told)))
		}
		if err := a.ask(ctx); err != nil {
			return err
		}
	}
}

// ask puts what waits to the person. What is shown was made fit to be shown.
func (a *agent) ask(ctx context.Context) error {
	waiting, err := a.gate.Pending(ctx, person())
	if err != nil {
		return err
	}
	for i := range waiting {
		card := &waiting[i].Card
		fmt.Fprintf(a.out, "gate:   %s? (%s) [y/N] ", card.Summary, card.Reason)
		answer := "y"
		if a.yes {
			fmt.Fprintln(a.out, answer)
		} else {
			a.in.Scan() // the end of the input is a no
			answer = strings.TrimSpace(a.in.Text())
			fmt.Fprintln(a.out)
		}
		if answer == "y" || answer == "yes" {
			err = a.gate.Approve(ctx, person(), waiting[i].ID, "agreed at the terminal")
		} else {
			err = a.gate.Reject(ctx, person(), waiting[i].ID, "refused at the terminal")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// trail prints what the audit log has of the run.
func (a *agent) trail(ctx context.Context) error {
	records, err := a.gate.Records(ctx, audit.Query{})
	if err != nil {
		return err
	}
	slices.SortFunc(records, func(a, b audit.Numbered) int { return int(a.Seq - b.Seq) })
	fmt.Fprintln(a.out, "audit log:")
	for i := range records {
		r := &records[i]
		what := r.Verdict
		if r.Kind == toolverdict.RecordApproval {
			what = string(r.ApprovalState)
		}
		fmt.Fprintf(a.out, "  %s\n", strings.Join(strings.Fields(fmt.Sprintf("%-8s %s %s %s %s", r.Kind, r.Tool, what, r.Rule, r.Code)), " "))
	}
	return nil
}

// fit takes out of a stranger's text what a terminal would act on or hide.
func fit(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '·'
		}
		return r
	}, s)
}

// short is the part of an answer that matters on a terminal.
func short(told string) string {
	var refused struct {
		Error *struct{ Code, Message string }
	}
	if json.Unmarshal([]byte(told), &refused) == nil && refused.Error != nil {
		return refused.Error.Code + ": " + refused.Error.Message
	}
	return told
}

func texts(answers json.RawMessage) []string {
	var all []struct{ Content string }
	_ = json.Unmarshal(answers, &all)
	out := make([]string, len(all))
	for i := range all {
		out[i] = all[i].Content
	}
	return out
}
