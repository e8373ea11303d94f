// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

func (a *app) callCommand() *cobra.Command {
	var call client.Call
	var wait string
	c := &cobra.Command{
		Use:   "call [TOOL [JSON|-]]",
		Short: "Call a tool through a running gate",
		Long: `Call a tool through a running gate.

The arguments are sent as the exact bytes given; "-" reads them from standard
input, and without any an empty object is sent. TOOL may be short where only one
server has a tool of that name. With --confirmation alone the call that was
approved is run as it is stored.`,
		Example: `  toolverdict call query_order '{"order_id":"A1001"}'
  toolverdict call cancel_order '{"order_id":"A1001"}' --wait
  toolverdict call cancel_order '{"order_id":"A1001"}' --wait=5m
  toolverdict call --confirmation ID`,
		Args: cobra.MaximumNArgs(3),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		var err error
		if call.Wait, args, err = waiting(wait, args); err != nil {
			return err
		}
		if len(args) > 2 {
			return cli.Usage("too many arguments: give the tool and one JSON object, in quotes")
		}
		if len(args) == 0 && call.Confirmation == "" {
			return cli.Usage("name a tool, or give --confirmation ID to run its stored call")
		}
		gate, err := a.client()
		if err != nil {
			return err
		}
		if len(args) > 0 {
			if call.Arguments, err = a.Arguments(args[1:]); err != nil {
				return err
			}
			if call.Tool, err = fullName(c.Context(), gate, args[0]); err != nil {
				return err
			}
		}
		return a.call(c, gate, call)
	}
	f := c.Flags()
	f.StringVar(&call.Confirmation, "confirmation", "", "`id` of an approval to use")
	f.StringVar(&call.IdempotencyKey, "idempotency-key", "", "calls with the same `key` are one call")
	f.StringVar(&wait, "wait", "", "wait for a person's answer: for a `time` such as 5m, or until there is one")
	f.Lookup("wait").NoOptDefVal = untilAnswered
	f.BoolVar(&call.ReadOnly, "read-only", false, "call in a read-only run: destructive tools are refused")
	f.StringVar(&call.Session, "session", "", "`name` of a session, for rules that count or look back by it")
	return a.clientFlags(c, "agent")
}

// untilAnswered is what --wait says without a time.
const untilAnswered = "answered"

// waiting returns how long to wait, and the arguments that are left. A time that
// stands behind a blank looks like an argument, but nothing that a tool takes
// reads as one.
func waiting(said string, args []string) (wait time.Duration, rest []string, err error) {
	switch said {
	case "":
		return 0, args, nil
	case untilAnswered:
		for i, arg := range args {
			if d, err := time.ParseDuration(arg); err == nil {
				return d, slices.Delete(slices.Clone(args), i, i+1), nil
			}
		}
		const ever = 100 * 365 * 24 * time.Hour // the question ends before
		return ever, args, nil
	}
	if wait, err = time.ParseDuration(said); err != nil {
		return 0, nil, cli.Usage("--wait: give a time such as 30s or 5m, or none to wait until there is an answer")
	}
	return wait, args, nil
}

// oneWait is how long one request to the gate waits; the gate allows no more.
const oneWait = 50 * time.Second

// call makes the call, and makes it again with its confirmation for as long as
// the caller wants to wait.
func (a *app) call(c *cobra.Command, gate *client.Client, call client.Call) error {
	until := a.Now().Add(call.Wait)
	told := false
	for {
		call.Wait = min(max(until.Sub(a.Now()), 0), oneWait)
		if !told {
			call.Wait = min(call.Wait, time.Second) // then say what it waits on
		}
		res, raw, err := gate.Do(c.Context(), call)
		if errors.Is(err, client.ErrLost) {
			return fmt.Errorf("%w. The call may have run: see 'toolverdict audit tail'; where a person approved it or it has an idempotency key, repeating it runs nothing twice", err)
		}
		if err != nil {
			return err
		}
		waits := res.Error != nil && res.Error.Code == tv.ConfirmationRequired && res.Confirmation != nil
		if !waits || !a.Now().Before(until) {
			return a.show(&res, raw)
		}
		if !told {
			fmt.Fprintf(a.Stderr, "waiting for approval %s: %s\n", cli.Line(res.Confirmation.ID), cli.Line(res.Confirmation.Summary))
			told = true
		}
		call.Confirmation = res.Confirmation.ID
	}
}

// show prints a result: data on stdout, the talk on stderr.
func (a *app) show(res *tv.Result, raw []byte) error {
	code := cli.ResultCode(res)
	if a.JSON() {
		if _, err := fmt.Fprintln(a.Stdout, strings.TrimSpace(string(raw))); err != nil {
			return err
		}
		return cli.Quiet(code)
	}
	a.tellEdited(res.Edited)
	switch {
	case res.Success:
		if res.Replayed {
			fmt.Fprintln(a.Stderr, "done already: this is the stored result of the first call; nothing was run again")
		}
		if err := cli.Content(a.Stdout, res.Content); err != nil {
			return err
		}
	case res.Error != nil:
		a.explain(res)
		if err := a.showRest(res); err != nil {
			return err
		}
	}
	return cli.Quiet(code)
}

// tellEdited says on stderr what an approver changed in the call.
func (a *app) tellEdited(e *tv.Edited) {
	if e == nil {
		return
	}
	fmt.Fprintf(a.Stderr, "changed by %s before it was approved: %s\n", cli.Line(e.By), cli.Line(e.Reason))
	for _, c := range e.Changes {
		fmt.Fprintf(a.Stderr, "  %s\n", cli.Line(change(c)))
	}
	if e.More > 0 {
		fmt.Fprintf(a.Stderr, "  and %d more\n", e.More)
	}
}

// change says one changed argument in words.
func change(c tv.Change) string {
	said := func(value json.RawMessage) string { return cmp.Or(string(value), "nothing") }
	return fmt.Sprintf("%s: %s is now %s", c.Path, said(c.Before), said(c.After))
}

// explain says on stderr why a call has no result and what to do.
func (a *app) explain(res *tv.Result) {
	word := map[int]string{
		cli.ExitDenied: "denied", cli.ExitWaiting: "waiting", cli.ExitTool: "failed", cli.ExitUnavailable: "gate unavailable",
	}[cli.ResultCode(res)]
	message := cli.Line(res.Error.Message)
	if len(res.Content) > 0 {
		message = "the tool's own words follow" // they are printed as data
	}
	fmt.Fprintf(a.Stderr, "%s: %s: %s\n", word, res.Error.Code, message)
	if rule := res.Decision.Rule; rule != "" {
		fmt.Fprintf(a.Stderr, "  rule: %s\n", cli.Line(rule))
	}
	for _, d := range res.Error.Details {
		if d.Path == "" || strings.Contains(res.Error.Message, d.Message) {
			continue // said already
		}
		fmt.Fprintf(a.Stderr, "  %s: %s\n", cli.Line(d.Path), cli.Line(d.Message))
	}
	if res.Error.RetryAfter > 0 {
		fmt.Fprintf(a.Stderr, "  retry after: %.0f s\n", res.Error.RetryAfter)
	}
	if next := res.Error.RecommendedAction; next != "" {
		fmt.Fprintf(a.Stderr, "  next: %s\n", cli.Line(next))
	}
}

// where repeats the flags that name the gate, for a command to copy.
func (a *app) where() string {
	switch {
	case a.url != "":
		return " --url " + a.url
	case a.Data != "":
		return " --data " + a.Data
	}
	return ""
}

// showRest prints on stdout what a call without success still gave: the id to
// approve, or the tool's own words.
func (a *app) showRest(res *tv.Result) error {
	if c := res.Confirmation; c != nil && res.Error.Code == tv.ConfirmationRequired {
		fmt.Fprintf(a.Stderr, "  call: %s\n", cli.Line(c.Summary))
		if c.Impact != "" {
			fmt.Fprintf(a.Stderr, "  impact: %s\n", cli.Line(c.Impact))
		}
		reason := ""
		if c.Risk != tv.LowRisk && c.Risk != tv.MediumRisk {
			reason = " --reason WHY"
		}
		fmt.Fprintf(a.Stderr, "  expires: %s\n  to approve: %s approvals approve %s%s%s\n",
			c.Expires.Local().Format(time.DateTime), a.program, cli.Line(c.ID), reason, a.where())
		_, err := fmt.Fprintln(a.Stdout, cli.Line(c.ID))
		return err
	}
	return cli.Content(a.Stdout, res.Content)
}
