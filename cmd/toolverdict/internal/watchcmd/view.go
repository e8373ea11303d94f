// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package watchcmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// rows is the view without a terminal: what is new, line by line.
type rows struct{ to io.Writer }

func (r *rows) list(now time.Time, _, fresh []client.Approval) {
	for i := range fresh {
		fmt.Fprintln(r.to, strings.Join(row(now, &fresh[i]), "  "))
	}
}

func (r *rows) say(text string) { fmt.Fprintln(r.to, cli.Line(text)) }
func (r *rows) typed()          {}
func (r *rows) page() bool      { return true }

// prompt ends its line: nobody's Enter does.
func (r *rows) prompt(text string) { r.say(text) }
func (r *rows) end()               {}

// screen is the view on a terminal. The list stands below the line on which
// somebody types, which redrawing leaves alone. Lines that are too long are cut
// by the terminal, so that its size need not be known.
type screen struct {
	to      io.Writer
	colour  bool
	whole   bool // a line was typed since: what is on the screen is no list any more
	message string
}

const (
	typing  = 3  // the row on which somebody types
	first   = 5  // the first row of the list; one below typing stays free
	fits    = 15 // calls in the list, on the smallest usual terminal
	wipe    = "\x1b[2J"
	save    = "\x1b7\x1b[?7l"
	restore = "\x1b[?7h\x1b8"
	alarm   = "\x1b[1;31m"
	calm    = "\x1b[0m"
)

func (s *screen) list(now time.Time, all, _ []client.Approval) {
	var b bytes.Buffer
	if s.whole {
		b.WriteString(wipe)
	}
	b.WriteString(save)
	put(&b, 1, title(len(all)))
	put(&b, 2, s.message)
	var text bytes.Buffer
	_ = cli.Table(&text, table(now, all[:min(len(all), fits)])) // a buffer takes everything
	at := first
	for line := range strings.Lines(text.String()) {
		line = strings.TrimSuffix(line, "\n")
		if n := at - first - 1; s.colour && n >= 0 && all[n].Card.Risk == tv.HighRisk {
			line = alarm + line + calm
		}
		put(&b, at, line)
		at++
	}
	if more := len(all) - fits; more > 0 {
		put(&b, at, fmt.Sprintf("and %d more", more))
		at++
	}
	fmt.Fprintf(&b, "\x1b[%d;1H\x1b[J", at)
	b.WriteString(restore)
	if s.whole {
		put(&b, typing, "show, approve, reject CODE, or quit: ")
		s.whole = false
	}
	_, _ = s.to.Write(b.Bytes())
}

// put writes over one row.
func put(b *bytes.Buffer, at int, text string) { fmt.Fprintf(b, "\x1b[%d;1H%s\x1b[K", at, text) }

func title(n int) string {
	switch {
	case n == 0:
		return "No call waits for you."
	case n == 1:
		return "1 call waits for you."
	case n >= page:
		return fmt.Sprintf("%d calls or more wait for you, the oldest first.", n)
	}
	return fmt.Sprintf("%d calls wait for you, the oldest first.", n)
}

func (s *screen) say(text string) { s.message = cli.Line(text) }

func (s *screen) typed() { s.message, s.whole = "", true }

func (s *screen) page() bool {
	fmt.Fprint(s.to, wipe+"\x1b[1;1H")
	return false
}

func (s *screen) prompt(text string) {
	fmt.Fprint(s.to, "\n"+cli.Line(text)+" ")
}

func (s *screen) end() { fmt.Fprint(s.to, "\x1b[999;1H\n") }

func table(now time.Time, all []client.Approval) [][]string {
	out := [][]string{{"CODE", "RISK", "LEFT", "BY", "TOOL", "CALL"}}
	for i := range all {
		out = append(out, row(now, &all[i]))
	}
	return out
}

// row is one call on one line. What strangers wrote is cut where it could push
// the rest away or, wrapped, pass for a line of its own.
func row(now time.Time, v *client.Approval) []string {
	by := v.Card.Requester
	if v.Card.Agent != "" && v.Card.Agent != by {
		by = v.Card.Agent + ", for " + by
	}
	return []string{
		cli.Line(v.Code), short(string(v.Card.Risk), 10), left(v.Expires.Sub(now)),
		short(by, 40), short(v.Card.Tool, 60), short(v.Card.Summary, 120),
	}
}

func short(text string, longest int) string {
	r := []rune(cli.Line(text))
	if len(r) > longest {
		return string(r[:longest-1]) + "…"
	}
	return string(r)
}

func left(d time.Duration) string {
	d = d.Truncate(time.Second)
	switch {
	case d <= 0:
		return "over"
	case d >= time.Hour:
		return strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s")
	}
	return d.String()
}
