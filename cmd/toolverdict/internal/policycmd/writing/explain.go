// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package writing

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/workbench/cases"
	"github.com/toolverdict/toolverdict/internal/workbench/explain"
	"github.com/toolverdict/toolverdict/policy"
)

// question is what the flags of explain say.
type question struct {
	tool, file, as, session, model, at string
	env, policies, catalogs            []string
	readOnly, all                      bool
}

func (a *commands) explain() *cobra.Command {
	var q question
	c := &cobra.Command{
		Use:   "explain {TOOL|--tool TOOL} [JSON|-]",
		Short: "Say how the decision about a call comes about; run nothing",
		Long: `Say how the decision about a call comes about: what the call would do, what each
rule makes of that, what decides, and what the caller is told. Secrets of the
call are hidden.

It needs no running gate. Counters of limits are taken as zero, and history as
empty, unless --call FILE names a call in the form of a test that says otherwise.
Exit code 0 means allow, 3 deny, 4 that a person would be asked.`,
		Example: `  toolverdict policy explain execute_shell '{"command":"ls; rm -rf /srv"}'
  toolverdict policy explain --call call.yaml --all`,
	}
	f := c.Flags()
	f.StringVar(&q.tool, "tool", "", "`name` of the tool, in place of the first argument")
	f.StringVar(&q.file, "call", "", "`file` with the call, written like a test")
	f.StringVar(&q.as, "as", "", "explain for this `subject` (else that of the stdio front)")
	f.BoolVar(&q.readOnly, "read-only", false, "in a read-only run")
	f.StringVar(&q.session, "session", "", "`name` of a session")
	f.StringVar(&q.model, "model", "", "`name` of a model")
	f.StringVar(&q.at, "time", "", "at this `time`, as 2026-01-31T12:00:00Z (else now)")
	f.StringArrayVar(&q.env, "env", nil, "an environment fact, as `NAME=VALUE`; may be repeated (else those of the configuration)")
	f.StringArrayVar(&q.policies, "policy", nil, "policy `file` in the place of the configuration's; may be repeated")
	f.StringArrayVar(&q.catalogs, "catalog", nil, "catalog `file` that says what tools there are; may be repeated")
	f.BoolVar(&q.all, "all", false, "show the conditions of rules that do not match, too")
	c.RunE = func(c *cobra.Command, args []string) error { return a.explained(c.Context(), &q, args) }
	a.OutputFlag(c)
	return a.FileFlags(c)
}

func (a *commands) explained(ctx context.Context, q *question, args []string) error {
	o, err := a.configured(true)
	if err != nil {
		return err
	}
	if o.Config == nil && len(q.policies) == 0 {
		return cli.Usage("no configuration: name one with --config FILE, or a policy with --policy FILE")
	}
	asked, refused, err := a.question(&o, q, args)
	if err != nil {
		return err
	}
	bench, err := a.bench(ctx, o, cases.Files{Policies: q.policies, Catalogs: q.catalogs})
	if err != nil {
		return cli.Usage("%v", err)
	}
	account, err := accountOf(bench, asked, refused)
	if err != nil {
		return cli.Usage("%v", err)
	}
	for i := range account.Rules {
		account.Rules[i].File = relative(account.Rules[i].File)
	}
	if a.JSON() {
		err = cli.JSON(a.Stdout, &account)
	} else {
		err = account.Write(a.Stdout, q.all)
	}
	if err != nil {
		return err
	}
	return cli.Quiet(map[string]int{"allow": cli.ExitDone, "ask": cli.ExitWaiting, "deny": cli.ExitDenied}[account.Verdict.String()])
}

func accountOf(b *cases.Bench, c *policy.Case, refused *tv.Refusal) (explain.Account, error) {
	if refused != nil {
		return explain.Malformed(b, c.Tool, refused), nil
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the process instead
	return explain.Of(b, c, key)
}

// question makes the call of what the flags and arguments say.
func (a *commands) question(o *daemon.Options, q *question, args []string) (*policy.Case, *tv.Refusal, error) {
	c, refused, err := a.asked(q, args)
	if err != nil || refused != nil {
		return c, refused, err
	}
	if q.as != "" {
		c.As, c.Subject = q.as, nil
	}
	if o.Config != nil && c.As == "" && c.Subject == nil && len(q.catalogs) == 0 {
		c.As = o.Config.Stdio.Subject
	}
	if q.session != "" {
		c.Session = q.session
	}
	if q.model != "" {
		c.Model = q.model
	}
	c.Run.ReadOnly = c.Run.ReadOnly || q.readOnly
	if c.History == nil {
		c.History = slices.Grow(c.History, 1) // known to be empty
	}
	if o.Config != nil && c.Environment == nil && len(q.env) == 0 {
		c.Environment = o.Config.Env
	}
	for _, fact := range q.env {
		name, value, ok := strings.Cut(fact, "=")
		if !ok || name == "" {
			return nil, nil, cli.Usage("--env: write NAME=VALUE")
		}
		if c.Environment == nil {
			c.Environment = map[string]string{}
		}
		c.Environment[name] = value
	}
	switch {
	case q.at != "":
		if c.At, err = time.Parse(time.RFC3339, q.at); err != nil {
			return nil, nil, cli.Usage("--time: a time is wanted as 2026-01-31T12:00:00Z")
		}
	case c.At.IsZero():
		c.At = a.Now()
	}
	return c, nil, nil
}

// asked reads the call, of a file or of the command line, or says what the gate
// says of arguments that it does not take.
func (a *commands) asked(q *question, args []string) (*policy.Case, *tv.Refusal, error) {
	if q.file != "" {
		if q.tool != "" || len(args) > 0 {
			return nil, nil, cli.Usage("--call names the whole call: leave the tool and its arguments out")
		}
		b, err := cases.Read(q.file)
		if err != nil {
			return nil, nil, cli.Usage("%v", err)
		}
		c, err := policy.ParseCall(policy.File{Name: q.file, Content: b})
		if err != nil {
			return nil, nil, cli.Usage("%v", err)
		}
		return c, nil, nil
	}
	tool, args, err := cli.ToolFirst(q.tool, args)
	if err != nil {
		return nil, nil, err
	}
	b, err := a.Arguments(args)
	if err != nil {
		return nil, nil, err
	}
	c, refused := explain.NewCall(tool, b)
	return c, refused, nil
}
