// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package doctorcmd

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/doctor/unguarded"
)

// printer writes findings as they come, and a summary at the end.
type printer struct {
	app    *cli.App
	bright bool // in colour
}

// bright reports whether colour is read by a person: on a terminal that nobody
// asked to be plain.
func bright(app *cli.App) bool {
	plain, given := app.Getenv("NO_COLOR")
	return terminalOut(app) && (!given || plain == "")
}

func terminalOut(app *cli.App) bool {
	f, ok := app.Stdout.(*os.File)
	return ok && terminal(f)
}

// terminal reports whether a file is a terminal, as far as can be told.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// paint puts a level in its colour.
func (p *printer) paint(l doctor.Level, text string) string {
	code := map[doctor.Level]string{doctor.OK: "32", doctor.Note: "36", doctor.Warning: "33", doctor.Unknown: "35", doctor.Failure: "31"}[l]
	if !p.bright || code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *printer) finding(f doctor.Finding) {
	if p.app.JSON() {
		return
	}
	fmt.Fprintf(p.app.Stdout, "%s %s: %s\n", p.paint(f.Level, fmt.Sprintf("%-8s", f.Level)), cli.Line(f.Check), cli.Line(f.Text))
	if f.Fix != "" {
		fmt.Fprintf(p.app.Stdout, "         fix: %s\n", cli.Line(f.Fix))
	}
}

// summary is the end of a report for programs.
type summary struct {
	Level       doctor.Level     `json:"level"` // the worst
	Findings    []doctor.Finding `json:"findings"`
	Protected   []string         `json:"protected"`   // doors that were proven
	Unprotected []string         `json:"unprotected"` // doors that were not

	Transcripts *unguarded.Report `json:"transcripts,omitempty"` // where they were looked at
}

// doors sorts the ways in by whether they were proven, each by all of its calls. A
// hook that an agent may not start is not, whatever it answers when it is.
func doors(r *doctor.Report) (proven, not []string) {
	bad, ways := map[string]bool{}, []string{}
	for _, f := range r.Findings {
		way, door := strings.CutPrefix(f.Check, "door ")
		if !door {
			bad[f.Check] = bad[f.Check] || f.Level.Worse(doctor.Note)
			continue
		}
		way, _, _ = strings.Cut(way, " (")
		if !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
		bad[way] = bad[way] || f.Level != doctor.OK
	}
	proven, not = []string{}, []string{}
	for _, way := range ways {
		hook, _, _ := strings.Cut(way, " in ")
		if bad[way] || bad[hook] {
			not = append(not, way)
		} else {
			proven = append(proven, way)
		}
	}
	return proven, not
}

func (p *printer) end(r *doctor.Report, calls *unguarded.Report, most int) error {
	s := summary{Level: r.Worst(), Findings: r.Findings, Transcripts: calls}
	s.Protected, s.Unprotected = doors(r)
	if p.app.JSON() {
		return cli.JSON(p.app.Stdout, s)
	}
	newest(p.app.Stdout, calls, most)
	fmt.Fprintln(p.app.Stdout)
	if len(s.Protected) > 0 {
		fmt.Fprintf(p.app.Stdout, "protected: %s\n", cli.Line(strings.Join(s.Protected, ", ")))
	}
	if len(s.Unprotected) > 0 {
		fmt.Fprintf(p.app.Stdout, "not shown to be protected: %s\n", cli.Line(strings.Join(s.Unprotected, ", ")))
	}
	_, err := fmt.Fprintln(p.app.Stdout, p.paint(s.Level, verdict(r, len(s.Protected) > 0)))
	return err
}

// verdict is the report in one line.
func verdict(r *doctor.Report, proven bool) string {
	var parts []string
	for _, c := range []struct {
		level doctor.Level
		one   string
	}{{doctor.Failure, "failure"}, {doctor.Unknown, "thing that could not be looked at"}, {doctor.Warning, "warning"}, {doctor.Note, "note"}} {
		switch n := r.Count(c.level); {
		case n == 1:
			parts = append(parts, "1 "+c.one)
		case n > 1 && c.level == doctor.Unknown:
			parts = append(parts, fmt.Sprintf("%d things that could not be looked at", n))
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", n, c.one))
		}
	}
	text := "Not well"
	switch well := !r.Worst().Worse(doctor.Warning); {
	case well && proven:
		text = "All well"
	case well:
		text = "Nothing is wrong with what was looked at, and no door was tried"
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text + "."
}
