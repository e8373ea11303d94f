// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package doctorcmd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/doctor/unguarded"
	"github.com/toolverdict/toolverdict/internal/transcripts"
)

// review holds agents' transcripts against the decisions of gates.
type review struct {
	place   transcripts.Place
	agents  []hookgate.Agent
	since   time.Time
	folders []string // data folders of gates
	found   *unguarded.Report
}

// Name implements [doctor.Check].
func (*review) Name() string { return "transcripts" }

// Looks implements [doctor.Check].
func (*review) Looks() string { return "whether calls in agents' transcripts were decided by a gate" }

// Look implements [doctor.Check].
func (r *review) Look(ctx context.Context) []doctor.Finding {
	files, err := transcripts.Find(r.place, r.agents, r.since)
	var found []doctor.Finding
	if err != nil { // of one agent: the others' sessions count
		found = doctor.Unseen("", "%v", err)
	}
	if len(files) == 0 && err != nil {
		return found
	}
	if len(files) == 0 {
		return doctor.Noted("there are none since %s, of %s", r.since.Format(time.DateOnly), names(r.agents))
	}
	// A call may have been decided a little before its session's first line.
	log, err := unguarded.Open(ctx, r.folders, r.since.Add(-time.Hour))
	if err != nil {
		return append(found, doctor.Unseen("", "%v", err)...)
	}
	report := &unguarded.Report{}
	for _, f := range files {
		s, err := transcripts.Read(ctx, f)
		if err != nil {
			found = append(found, doctor.Unseen("", "a transcript of %s, %s: %v", f.Agent, filepath.Base(f.Path), err)...)
		}
		report.Add(log, s, r.since)
		if ctx.Err() != nil {
			return append(found, doctor.Unseen("look at less: --since 1d, --agents", "there are too many to be read in time")...)
		}
	}
	report.Sort()
	r.found = report
	return append(found, summarised(report)...)
}

// summarised tells what was found, worst first.
func summarised(r *unguarded.Report) []doctor.Finding {
	found := []doctor.Finding{{Level: doctor.OK, Text: fmt.Sprintf("%s, %s: %d decided by a gate, %d from before it, %d of which nothing came",
		cli.Count(r.Sessions, "transcript"), cli.Count(r.Calls, "call"), r.Decided, r.Before, r.Idle)}}
	if r.Unread > 0 {
		found = append(found, doctor.Noted("%s could not be read", cli.Count(r.Unread, "part"))...)
	}
	for _, g := range r.Groups {
		f := doctor.Finding{Level: doctor.Warning}
		calls := cli.Count(g.Count, "call") + " of " + g.Agent + "'s " + g.Tool
		switch g.Problem {
		case unguarded.NoRecord:
			f.Level, f.Text = doctor.Failure, calls+": ran, and no gate was asked"
			f.Fix = "toolverdict hook install " + g.Agent + "; name other gates' data folders with --data"
		case unguarded.Denied:
			f.Level, f.Text, f.Fix = doctor.Failure, calls+": denied, and ran", "this agent does not heed its hook: docs/hooks.md says what each version does"
		case unguarded.FailedToo:
			f.Text = calls + ": failed, and no gate was asked"
		case unguarded.NoDenial:
			f.Text = calls + ": refused by a hook that could not record it"
		case unguarded.NeverAsked:
			f.Text, f.Fix = calls+": the agent never asks about it", "docs/hooks.md says what is not covered"
		}
		found = append(found, f)
	}
	return found
}

func names(agents []hookgate.Agent) string {
	out := make([]string, len(agents))
	for i, a := range agents {
		out[i] = string(a)
	}
	return strings.Join(out, ", ")
}

// newest prints the last of the calls that something is wrong with.
func newest(to io.Writer, r *unguarded.Report, most int) {
	if r == nil || len(r.Entries) == 0 || most <= 0 {
		return
	}
	list := r.Entries[:min(most, len(r.Entries))]
	fmt.Fprintf(to, "\nthe newest %d of %s (--json has all):\n", len(list), cli.Count(len(r.Entries), "call"))
	for _, e := range list {
		at := "an unknown time"
		if !e.At.IsZero() {
			at = e.At.Local().Format("2006-01-02 15:04:05")
		}
		fmt.Fprintf(to, "  %s %s %s/%s session=%s id=%s %s\n", at, e.Problem, cli.Line(e.Agent), cli.Line(e.Tool), cli.Line(e.Session), cli.Line(e.ID), cli.Line(e.Line))
	}
}

// consent reports whether transcripts may be looked for: because a flag says so, or a
// person at a terminal does.
func consent(app *cli.App, f *flags) bool {
	if f.find || f.folder != "" {
		return true
	}
	home, _ := app.Getenv("HOME")
	in, ok := app.Stdin.(*os.File)
	if !transcripts.Kept(transcripts.Place{Home: home, Getenv: app.Getenv}) || !ok || app.JSON() || !terminal(in) || !terminalOut(app) {
		return false
	}
	fmt.Fprint(app.Stderr, "Look through the transcripts of coding agents in your home folder for calls that no gate decided? Nothing of them leaves this machine. [y/N] ")
	answer, err := bufio.NewReader(io.LimitReader(in, 64)).ReadString('\n')
	return err == nil && strings.EqualFold(strings.TrimSpace(answer), "y")
}

// review is the check of transcripts, nil where nobody agreed to it.
func (f *flags) review(app *cli.App, wanted []hookgate.Agent, folders []string) (*review, error) {
	if !consent(app, f) {
		return nil, nil //nolint:nilnil // nobody wants it, which is no fault
	}
	r := &review{agents: transcripts.Agents(), folders: folders, place: transcripts.Place{Getenv: app.Getenv}}
	r.place.Home, _ = app.Getenv("HOME")
	if f.folder != "" {
		r.place = transcripts.Place{Home: f.folder}
		if !cli.IsFolder(f.folder) {
			return nil, cli.Usage("--transcripts: %s is no folder: name one that holds agents' folders, such as a home folder", f.folder)
		}
	}
	if !filepath.IsAbs(r.place.Home) {
		var err error
		if r.place.Home, err = filepath.Abs(r.place.Home); err != nil || f.folder == "" {
			return nil, cli.Usage("the home folder is not known: name it with --transcripts")
		}
	}
	if len(wanted) > 0 {
		r.agents = slices.DeleteFunc(r.agents, func(a hookgate.Agent) bool { return !slices.Contains(wanted, a) })
	}
	back, err := duration(f.since)
	if err != nil {
		return nil, cli.Usage("--since: %v", err)
	}
	r.since = app.Now().Add(-back)
	return r, nil
}

// duration reads how long ago something was, in days, too.
func duration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		const most = 36500
		if err != nil || n < 0 || n > most {
			return 0, fmt.Errorf("%q: a time ago is wanted, such as 30d or 12h", text)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q: a time ago is wanted, such as 30d or 12h", text)
	}
	return d, nil
}
