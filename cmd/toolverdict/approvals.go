// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/groups"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/watchcmd"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// approver is the subject that decides where none is named.
const approver = "approver"

func (a *app) approvalsCommand() *cobra.Command {
	return cli.Group("approvals", "See and decide what waits for a person",
		a.approvalsList(), a.approvalsShow(),
		a.decision("approve", "Approve a call; it runs when its caller comes back for it"),
		a.decision("reject", "Reject a call; the agent is told the reason"),
		a.decision("cancel", "Take a question back that you asked"),
		a.decision("revoke", "Take an approval back before it is used"),
		a.approvalsEdit(), groups.Stats(a.App, groups.Gate{Client: a.client, Flags: a.clientFlags}),
		watchcmd.Command(a.App, watchcmd.Gate{Client: a.client, Flags: a.clientFlags, Card: a.card}),
	)
}

func (a *app) approvalsList() *cobra.Command {
	var state string
	c := &cobra.Command{Use: "list", Short: "List approvals that concern you", Args: cobra.NoArgs}
	c.Flags().StringVar(&state, "state", "", "only those in this `state`: pending, approved, claimed, done, failed, unknown, rejected, expired, cancelled, revoked")
	c.RunE = func(c *cobra.Command, _ []string) error {
		gate, err := a.client()
		if err != nil {
			return err
		}
		all, err := gate.Approvals(c.Context(), state)
		if err != nil {
			return err
		}
		if a.JSON() {
			return cli.JSON(a.Stdout, all)
		}
		shortened := false
		rows := [][]string{{"ID", "STATE", "EXPIRES", "BY", "CALL"}}
		for i := range all {
			v := &all[i]
			rows = append(rows, []string{v.ID, string(v.State), v.Expires.Local().Format(time.DateTime), askedBy(v), v.Card.Summary})
			if strings.Contains(v.Card.Summary, "…") {
				shortened = true
			}
		}
		if shortened {
			fmt.Fprintln(a.Stderr, "… stands for more: 'toolverdict approvals show ID' shows all of a call")
		}
		a.more(len(all))
		return cli.Table(a.Stdout, rows)
	}
	return a.clientFlags(c, approver)
}

func (a *app) approvalsShow() *cobra.Command {
	c := &cobra.Command{Use: "show ID", Short: "Show what a call would do", Args: cli.One("the ID of an approval, as 'toolverdict approvals list' prints it")}
	c.RunE = func(c *cobra.Command, args []string) error {
		gate, err := a.client()
		if err != nil {
			return err
		}
		v, err := gate.Approval(c.Context(), args[0])
		if err != nil {
			return err
		}
		if a.JSON() {
			return cli.JSON(a.Stdout, v)
		}
		return a.card(&v)
	}
	return a.clientFlags(c, approver)
}

// card prints everything that a person needs to decide.
func (a *app) card(v *client.Approval) error {
	rows := [][]string{
		{"id", v.ID}, {"code", v.Code}, {"state", string(v.State)}, {"tool", v.Card.Tool}, {"call", v.Card.Summary},
		{"arguments", string(v.Card.Arguments)}, {"risk", string(v.Card.Risk)}, {"safety", string(v.Card.Safety)},
		{"impact", v.Card.Impact}, {"reason", v.Card.Reason}, {"asked by", askedBy(v)},
		{"created", v.Created.Local().Format(time.DateTime)}, {"expires", v.Expires.Local().Format(time.DateTime)},
		{"policy", v.PolicyVersion},
	}
	for _, e := range v.Card.Effects {
		rows = append(rows, []string{"effect", e.String() + of(e.Source)})
	}
	if v.Card.More > 0 {
		rows = append(rows, []string{"effect", fmt.Sprintf("and %d more", v.Card.More)})
	}
	for _, m := range v.Card.Rules {
		rows = append(rows, []string{"rule", m.Rule + " (" + m.Verdict.String() + ")"})
	}
	for _, need := range v.Requirements {
		who := strings.Join(need.Approvers, ", ")
		if len(need.Escalate.To) > 0 {
			who += fmt.Sprintf("; from %s on also %s", v.Created.Add(need.Escalate.After).Local().Format(time.DateTime), strings.Join(need.Escalate.To, ", "))
		}
		rows = append(rows, []string{"needs", fmt.Sprintf("%d of %s", max(need.Quorum, 1), who)})
	}
	if e := v.Edited; e != nil {
		rows = append(rows, []string{"changed", "by " + e.By + " " + e.Reason})
		for _, ch := range e.Changes {
			rows = append(rows, []string{"change", change(ch)})
		}
		if e.More > 0 {
			rows = append(rows, []string{"change", fmt.Sprintf("and %d more", e.More)})
		}
	}
	for _, vote := range v.Votes {
		word := "no"
		if vote.Approved {
			word = "yes"
		}
		rows = append(rows, []string{"vote", word + " by " + vote.By + " " + vote.Reason})
	}
	return cli.Table(a.Stdout, rows)
}

// more says that a list may have been cut: the gate answers with a page at most.
func (a *app) more(shown int) {
	const page = 100
	if shown >= page {
		fmt.Fprintf(a.Stderr, "only the oldest %d are shown: narrow the list with --state\n", shown)
	}
}

// askedBy says who asked, and for whom.
func askedBy(v *client.Approval) string {
	if v.Card.Agent == "" || v.Card.Agent == v.Card.Requester {
		return v.Card.Requester
	}
	return v.Card.Agent + ", for " + v.Card.Requester
}

func (a *app) decision(verb, short string) *cobra.Command {
	var reason string
	var similar groups.Similar
	c := &cobra.Command{Use: verb + " ID", Short: short, Args: cli.One("the ID of an approval, as 'toolverdict approvals list' prints it")}
	c.Flags().StringVar(&reason, "reason", "", "`text` that is recorded, and told to the agent where you reject")
	if verb == "approve" {
		similar.Add(c)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		like, err := similar.Asked()
		if err != nil {
			return err
		}
		gate, err := a.client()
		if err != nil {
			return err
		}
		if like {
			return similar.Run(c.Context(), a.App, gate, args[0], reason)
		}
		v, err := gate.Decide(c.Context(), args[0], verb, reason)
		if err != nil {
			return err
		}
		if a.JSON() {
			return cli.JSON(a.Stdout, v)
		}
		_, err = fmt.Fprintf(a.Stdout, "%s: %s: %s\n", cli.Line(v.ID), v.State, cli.Line(v.Card.Summary))
		return err
	}
	who := approver
	if verb == "cancel" {
		who = "agent"
	}
	return a.clientFlags(c, who)
}

func (a *app) approvalsEdit() *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:   "edit ID ARGUMENTS",
		Short: "Change a call before it is approved",
		Long: `Change the arguments of a call that waits. The changed call is checked and decided
like any other, and waits in the place of the old one, as an approval of its own;
its caller is told what was changed. Somebody else has to approve it, unless the
rule says editorMayApprove.

ARGUMENTS is the whole JSON object, as 'toolverdict approvals show ID' prints it;
"-" reads it from standard input. Placeholders such as [secret 1a2b3c4d] stand for
values that are hidden: left in place, they stay what they were.`,
		Example: `  toolverdict approvals edit ID '{"order_id":"A1001","amount":"20.00"}' --reason 'no more than 20'`,
		Args:    cobra.ExactArgs(2),
	}
	c.Flags().StringVar(&reason, "reason", "", "`text` that is recorded and told to the agent")
	c.RunE = func(c *cobra.Command, args []string) error {
		gate, err := a.client()
		if err != nil {
			return err
		}
		arguments, err := a.Arguments(args[1:])
		if err != nil {
			return err
		}
		v, err := gate.Edit(c.Context(), args[0], arguments, reason)
		if err != nil {
			return err
		}
		if a.JSON() {
			return cli.JSON(a.Stdout, v)
		}
		_, err = fmt.Fprintf(a.Stdout, "%s: %s in place of %s: %s\n", cli.Line(v.ID), v.State, cli.Line(v.Replaces), cli.Line(v.Card.Summary))
		return err
	}
	return a.clientFlags(c, approver)
}

func (a *app) ledgerCommand() *cobra.Command {
	return cli.Group("ledger", "See what was dispatched, and settle what was lost", a.ledgerList(), a.ledgerSettle(), a.ledgerReconcile())
}

func (a *app) ledgerList() *cobra.Command {
	var state string
	c := &cobra.Command{Use: "list", Short: "List entries of the ledger, oldest change first", Args: cobra.NoArgs}
	c.Flags().StringVar(&state, "state", "", "only those in this `state`: waiting, dispatched, succeeded, failed, paused, unknown")
	c.RunE = func(c *cobra.Command, _ []string) error {
		gate, err := a.client()
		if err != nil {
			return err
		}
		all, err := gate.Ledger(c.Context(), state)
		if err != nil {
			return err
		}
		if a.JSON() {
			return cli.JSON(a.Stdout, all)
		}
		rows := [][]string{{"STATE", "UPDATED", "TOOL", "BY", "KEY"}}
		for i := range all {
			e := &all[i]
			rows = append(rows, []string{string(e.State), e.Updated.Local().Format(time.DateTime), e.Tool, e.Subject, e.Key})
		}
		a.more(len(all))
		return cli.Table(a.Stdout, rows)
	}
	return a.clientFlags(c, approver)
}

func (a *app) ledgerSettle() *cobra.Command {
	var as, evidence string
	c := &cobra.Command{
		Use:   "settle KEY",
		Short: "Write down what became of a call whose answer was lost",
		Args:  cli.One("the KEY of an entry, as 'toolverdict ledger list' prints it"),
	}
	c.Flags().StringVar(&as, "outcome", "", "`what` became of it: succeeded or failed")
	c.Flags().StringVar(&evidence, "evidence", "", "`how` you know")
	_, _ = c.MarkFlagRequired("outcome"), c.MarkFlagRequired("evidence")
	c.RunE = func(c *cobra.Command, args []string) error {
		gate, err := a.client()
		if err != nil {
			return err
		}
		if err := gate.Settle(c.Context(), args[0], tv.ClaimState(as), evidence); err != nil {
			return err
		}
		_, err = fmt.Fprintf(a.Stdout, "%s: %s\n", cli.Line(args[0]), cli.Line(as))
		return err
	}
	return a.clientFlags(c, approver)
}

func (a *app) ledgerReconcile() *cobra.Command {
	c := &cobra.Command{
		Use:   "reconcile KEY",
		Short: "Ask the tool what became of a call whose answer was lost",
		Long: `Make the call that the catalog names for it (reconcile), as yourself and through
the gate like any call. Where the answer says that the call ran, or that it did
not, that is written down with the answer as evidence. Otherwise the outcome stays
unknown and the exit code is 5, or 4 where a person must approve the asking first.`,
		Args: cli.One("the KEY of an entry, as 'toolverdict ledger list' prints it"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		gate, err := a.client()
		if err != nil {
			return err
		}
		found, err := gate.Reconcile(c.Context(), args[0])
		if err != nil {
			return err
		}
		code := cli.ExitDone
		switch {
		case found.Confirmation != "":
			code = cli.ExitWaiting
		case found.State == tv.ClaimUnknown:
			code = cli.ExitTool
		}
		if a.JSON() {
			return errors.Join(cli.JSON(a.Stdout, found), cli.Quiet(code))
		}
		fmt.Fprintf(a.Stdout, "%s: %s\n", cli.Line(args[0]), found.State)
		fmt.Fprintln(a.Stderr, cli.Line(found.Detail))
		if found.Confirmation != "" {
			fmt.Fprintf(a.Stderr, "confirmation id: %s\n", cli.Line(found.Confirmation))
		}
		if found.State == tv.ClaimUnknown && len(found.Answer) > 0 {
			fmt.Fprintf(a.Stderr, "%s answered: %s\n", cli.Line(found.Tool), cli.Line(string(found.Answer)))
		}
		return cli.Quiet(code)
	}
	return a.clientFlags(c, approver)
}
