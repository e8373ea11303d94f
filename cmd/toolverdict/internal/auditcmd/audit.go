// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package auditcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// commands are those of this group.
type commands struct{ *cli.App }

// Command is "toolverdict audit" with all below it.
func Command(app *cli.App) *cobra.Command {
	a := &commands{app}
	return cli.Group("audit", "Read and verify the log of what was decided and done",
		a.auditTail(), a.auditQuery(), a.auditVerify(), a.auditCheckpoint(), a.auditProve(), a.auditCheck())
}

func (a *commands) openLog(ctx context.Context) (*sqlite.View, error) {
	data := a.DataFolder()
	if data == "" {
		return nil, cli.Usage("name the gate's data folder with --data")
	}
	if !cli.IsFolder(data) {
		return nil, cli.Usage("there is no data folder %s: name it with --data", data)
	}
	v, err := sqlite.OpenLog(ctx, data)
	if err != nil {
		return nil, &cli.Error{Code: cli.ExitUnavailable, Text: "open the audit log: " + err.Error()}
	}
	return v, nil
}

func (a *commands) auditTail() *cobra.Command {
	var n int
	var follow bool
	c := &cobra.Command{Use: "tail", Short: "Print the newest records", Args: cobra.NoArgs}
	c.Flags().IntVarP(&n, "lines", "n", 20, "how `many`")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on as records are added")
	c.RunE = func(c *cobra.Command, _ []string) error {
		next := int64(0)
		q := audit.Query{Page: audit.Page{Newest: true, Limit: n}}
		for {
			found, err := a.find(c.Context(), q)
			if err != nil {
				return err
			}
			if q.Page.Newest {
				reverse(found)
			}
			for i := range found {
				next = found[i].Seq + 1
				if err := a.record(&found[i]); err != nil {
					return err
				}
			}
			if !follow {
				return nil
			}
			q.Page = audit.Page{From: next, Limit: 1000}
			select {
			case <-c.Context().Done():
				return nil
			case <-time.After(500 * time.Millisecond):
			}
		}
	}
	return a.DataFlag(c)
}

func reverse(list []audit.Numbered) {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
}

func (a *commands) find(ctx context.Context, q audit.Query) (found []audit.Numbered, err error) {
	v, err := a.openLog(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	return v.Find(ctx, q)
}

func (a *commands) auditQuery() *cobra.Command {
	var q audit.Query
	var since, until, code, kind string
	c := &cobra.Command{Use: "query", Short: "Find records, oldest first", Args: cobra.NoArgs}
	f := c.Flags()
	f.StringVar(&since, "since", "", "at or after this `time`: RFC 3339, or a duration ago such as 1h")
	f.StringVar(&until, "until", "", "before this `time`")
	f.StringVar(&q.Call, "call", "", "of this call `id`, the gate's or the caller's")
	f.StringVar(&q.Tool, "tool", "", "of this tool, by its full `name`; a star at its end stands for any rest")
	f.StringVar(&q.Subject, "subject", "", "of this subject or user `id`")
	f.StringVar(&q.Session, "session", "", "of this `session`")
	f.StringVar(&q.Verdict, "verdict", "", "with this `verdict`: allow, ask or deny")
	f.StringVar(&code, "code", "", "with this `code`, such as POLICY_DENIED")
	f.StringVar(&kind, "kind", "", "of this `kind`: decision, outcome, approval, replay or admin")
	f.StringVar(&q.Approval, "approval", "", "about this approval `id`")
	f.IntVar(&q.Page.Limit, "limit", 100, "how `many` at most")
	f.BoolVar(&q.Page.Newest, "newest", false, "newest first")
	f.Int64Var(&q.Page.From, "from", 0, "from this `place` in the log on")
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		q.Code, q.Kind = tv.Code(code), tv.RecordKind(kind)
		if q.Since, err = a.Moment(since); err != nil {
			return err
		}
		if q.Until, err = a.Moment(until); err != nil {
			return err
		}
		found, err := a.find(c.Context(), q)
		if err != nil {
			return err
		}
		for i := range found {
			if err := a.record(&found[i]); err != nil {
				return err
			}
		}
		return nil
	}
	return a.DataFlag(c)
}

// record prints one record on one line.
func (a *commands) record(r *audit.Numbered) error {
	if a.JSON() {
		enc := json.NewEncoder(a.Stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	words := []string{strconv.FormatInt(r.Seq, 10), r.At.Local().Format("2006-01-02 15:04:05.000"), string(r.Kind)}
	for _, part := range []struct{ name, value string }{
		{"", r.Verdict}, {"", string(r.Code)}, {"", r.Tool}, {"", string(r.Arguments)}, {"rule", r.Rule}, {"observed", observed(&r.Record)}, {"by", r.Subject},
		{"for", r.User}, {"door", string(r.Door)}, {"call", r.CallID}, {"approval", r.Approval},
		{"", string(r.ApprovalState)}, {"claim", string(r.Claim)}, {"", r.Detail},
	} {
		switch {
		case part.value == "":
		case part.name == "":
			words = append(words, cli.Line(part.value))
		default:
			words = append(words, part.name+"="+cli.Line(part.value))
		}
	}
	_, err := fmt.Fprintln(a.Stdout, strings.Join(words, " "))
	return err
}

// observed is what a gate that only observes would have decided.
func observed(r *tv.Record) string {
	switch o := r.Observed; {
	case o == nil:
		return ""
	case o.Rule == "":
		return o.Verdict.String()
	default:
		return o.Verdict.String() + ":" + o.Rule
	}
}

func (a *commands) auditVerify() *cobra.Command {
	var keyFile string
	var kept []string
	c := &cobra.Command{
		Use:   "verify",
		Short: "Check the whole log: nothing changed, removed, added or moved",
		Long: `Check the whole log: nothing changed, removed, added or moved.

It trusts neither the gate nor the database: only the public key, which lies
beside the log unless --key names a copy kept elsewhere, and checkpoints that
were kept elsewhere (--checkpoint), which catch a log that was replaced whole.
A log that does not verify ends with exit code 3 and the first bad record.`,
		Args: cobra.NoArgs,
	}
	c.Flags().StringVar(&keyFile, "key", "", "`file` with the log's public key")
	c.Flags().StringArrayVar(&kept, "checkpoint", nil, "`file` with a signed checkpoint that was kept elsewhere; may be repeated")
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		v, err := a.openLog(c.Context())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.Close()) }()
		job := audit.Job{Log: v}
		if job.Key, err = logKey(v, keyFile); err != nil {
			return err
		}
		for _, path := range kept {
			b, err := os.ReadFile(path)
			if err != nil {
				return cli.Usage("read checkpoint: %v", err)
			}
			job.Kept = append(job.Kept, b)
		}
		report, err := audit.Verify(c.Context(), job)
		if err != nil {
			return &cli.Error{Code: cli.ExitDenied, Text: "verify: " + err.Error()}
		}
		return a.verified(&report)
	}
	return a.DataFlag(c)
}

func logKey(v *sqlite.View, file string) (*audit.Verifier, error) {
	if file != "" {
		key, err := audit.LoadVerifier(file)
		if err != nil {
			return nil, cli.Usage("%v", err)
		}
		return key, nil
	}
	if key := v.Key(); key != nil {
		return key, nil
	}
	return nil, cli.Usage("there is no public key beside the log: name a copy with --key")
}

func (a *commands) verified(r *audit.Report) error {
	if a.JSON() {
		out := map[string]any{
			"ok": r.OK(), "origin": r.Origin, "records": r.Records, "signed": r.Signed, "unsigned": r.Unsigned,
			"checkpoints": r.Checkpoints, "root": r.Root.String(), "first": r.First, "last": r.Last,
		}
		if r.Fault != nil {
			out["fault"] = map[string]any{"kind": r.Fault.Kind, "first": r.Fault.First, "last": r.Fault.Last, "detail": r.Fault.Error()}
		}
		if err := cli.JSON(a.Stdout, out); err != nil {
			return err
		}
	} else if r.OK() {
		tail := ""
		if r.Unsigned > 0 {
			tail = fmt.Sprintf(" (the newest %d wait for the next signature)", r.Unsigned)
		}
		fmt.Fprintf(a.Stdout, "OK: %d records, %d checkpoints%s, root %s\n", r.Records, r.Checkpoints, tail, r.Root)
	} else {
		fmt.Fprintf(a.Stdout, "NOT OK: %s (the %d records before are good)\n", cli.Line(r.Fault.Error()), r.Records)
	}
	if !r.OK() {
		return cli.Quiet(cli.ExitDenied)
	}
	return nil
}

func (a *commands) auditCheckpoint() *cobra.Command {
	c := &cobra.Command{
		Use:   "checkpoint",
		Short: "Print the newest signed checkpoint, to be kept elsewhere for 'audit verify --checkpoint'",
		Args:  cobra.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		v, err := a.openLog(c.Context())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.Close()) }()
		newest, err := v.Checkpoint(c.Context())
		if err != nil {
			return &cli.Error{Code: cli.ExitDenied, Text: "read checkpoint: " + err.Error()}
		}
		_, err = a.Stdout.Write(newest.Note)
		return err
	}
	return a.DataFlag(c)
}

func (a *commands) auditProve() *cobra.Command {
	var keyFile string
	c := &cobra.Command{
		Use:   "prove SEQ",
		Short: "Print a proof that one record is in the log, to be checked without the rest",
		Args:  cli.One("the place of a record in the log, as 'toolverdict audit tail' prints it"),
	}
	c.Flags().StringVar(&keyFile, "key", "", "`file` with the log's public key")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		seq, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || seq < 0 {
			return cli.Usage("the place of a record in the log is wanted, as tail and query print it")
		}
		v, err := a.openLog(c.Context())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.Close()) }()
		key, err := logKey(v, keyFile)
		if err != nil {
			return err
		}
		proof, err := v.Prove(c.Context(), key, seq)
		if err != nil {
			return &cli.Error{Code: cli.ExitDenied, Text: err.Error()}
		}
		_, err = a.Stdout.Write(proof)
		return err
	}
	return a.DataFlag(c)
}

func (a *commands) auditCheck() *cobra.Command {
	var keyFile string
	c := &cobra.Command{
		Use:   "check PROOF --key FILE",
		Short: "Check a proof with the public key alone, and print its record",
		Args:  cli.One("the file of a proof, as 'toolverdict audit prove' prints it"),
	}
	c.Flags().StringVar(&keyFile, "key", "", "`file` with the log's public key")
	_ = c.MarkFlagRequired("key")
	a.OutputFlag(c)
	c.RunE = func(_ *cobra.Command, args []string) error {
		key, err := audit.LoadVerifier(keyFile)
		if err != nil {
			return cli.Usage("%v", err)
		}
		b, err := os.ReadFile(args[0])
		if err != nil {
			return cli.Usage("read proof: %v", err)
		}
		proven, err := audit.CheckProof(key, b)
		if err != nil {
			return &cli.Error{Code: cli.ExitDenied, Text: err.Error()}
		}
		return a.record(&proven.Numbered)
	}
	return c
}
