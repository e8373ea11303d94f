// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package watchcmd is "toolverdict approvals watch": a list of what waits for a
// person, and the means to answer, for people who live in a terminal. It decides
// nothing: every answer is a request to the gate like that of any other client.
package watchcmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// Gate is how the command reaches a running gate, and how it shows a card.
type Gate struct {
	Client func() (*client.Client, error) // finds the gate anew each time
	Flags  func(c *cobra.Command, who string) *cobra.Command
	Card   func(v *client.Approval) error // prints all of it, fit for a terminal
}

const (
	fastest = 100 * time.Millisecond // between two looks at the gate
	patient = 10 * time.Second       // for one answer of the gate
	page    = 100                    // of approvals, in one answer
)

// Command is "toolverdict approvals watch".
func Command(app *cli.App, gate Gate) *cobra.Command {
	var once bool
	var every time.Duration
	c := &cobra.Command{
		Use: "watch", Short: "Show what waits for you as it comes, and answer it", Args: cobra.NoArgs,
		Long: `Show what waits for you as it comes, oldest first, and answer it.

Answers are typed, each on a line: ` + help + `
CODE is the short code of an approval, which stands on its card wherever that is
shown. Approving shows the card first; high risk asks for a reason and for the
code once more. On a terminal the list is kept up to date; elsewhere what is new
is printed line by line.`,
	}
	c.Flags().BoolVar(&once, "once", false, "print what waits now, and end")
	c.Flags().DurationVar(&every, "every", time.Second, "`time` between two looks at the gate")
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch {
		case every < fastest:
			return cli.Usage("--every: at least %v", fastest)
		case app.JSON() && !once:
			return cli.Usage("--output json goes with --once")
		}
		to, err := gate.Client()
		if err != nil {
			return err
		}
		w := &watch{app: app, find: gate.Client, card: gate.Card, gate: to, known: map[string]string{}, shown: map[string]bool{}}
		if once {
			return w.once(c.Context())
		}
		return w.run(c.Context(), every)
	}
	return gate.Flags(c, "approver")
}

// watch is one run of the command.
type watch struct {
	app   *cli.App
	find  func() (*client.Client, error)
	card  func(v *client.Approval) error
	gate  *client.Client
	view  view
	talk  talk
	lines <-chan string     // what is typed; nil when nothing more can be
	last  []client.Approval // what waited at the last look
	known map[string]string // the codes of what was told of, by id
	shown map[string]bool   // ids whose cards were shown
	away  bool              // the gate did not answer at the last look
}

// view is where the list is shown.
type view interface {
	list(now time.Time, all, fresh []client.Approval)
	say(text string)
}

// talk is how somebody is spoken with beside the list.
type talk interface {
	typed()             // a line was typed: nothing half typed is lost by drawing all
	page() (stays bool) // what follows is no list: a card, a question
	prompt(text string) // asks for a line
	end()
}

func (w *watch) once(ctx context.Context) error {
	all, err := w.waiting(ctx)
	if err != nil {
		return err
	}
	if w.app.JSON() {
		return cli.JSON(w.app.Stdout, all)
	}
	return cli.Table(w.app.Stdout, table(w.app.Now(), all))
}

// run looks and obeys until it is told to end. A gate that was never there is an
// error; one that went away is waited for.
func (w *watch) run(ctx context.Context, every time.Duration) error {
	all, err := w.waiting(ctx)
	if err != nil {
		return ended(ctx, err)
	}
	w.view, w.talk = w.look()
	defer w.talk.end()
	w.lines = read(ctx, w.app.Stdin)
	w.show(ctx, all)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, more := <-w.lines:
			if !more { // nobody types any more: go on showing
				w.lines = nil
				continue
			}
			w.talk.typed()
			if done := w.obey(ctx, line); done {
				return nil
			}
		case <-tick.C:
		}
		if err := w.refresh(ctx); err != nil {
			return ended(ctx, err)
		}
	}
}

// ended drops an error that comes of being told to end.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

// look chooses the view: a list that is kept up to date needs a terminal to type
// at and to draw on.
func (w *watch) look() (view, talk) {
	if term, _ := w.app.Getenv("TERM"); term == "dumb" || !terminal(w.app.Stdin) || !terminal(w.app.Stdout) {
		r := &rows{to: w.app.Stdout}
		return r, r
	}
	none, set := w.app.Getenv("NO_COLOR")
	s := &screen{to: w.app.Stdout, colour: !set || none == "", whole: true}
	return s, s
}

// terminal takes character devices for terminals: to those that are none, such
// as /dev/null, it does not matter what is drawn.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// waiting is what waits now, oldest first.
func (w *watch) waiting(ctx context.Context) ([]client.Approval, error) {
	ctx, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	all, err := w.gate.Approvals(ctx, string(tv.ApprovalPending))
	now := w.app.Now()
	all = slices.DeleteFunc(all, func(v client.Approval) bool { return v.State != tv.ApprovalPending || !now.Before(v.Expires) })
	slices.SortStableFunc(all, func(a, b client.Approval) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return all, err
}

func (w *watch) refresh(ctx context.Context) error {
	all, err := w.waiting(ctx)
	switch {
	case err == nil:
		if w.away {
			w.away = false
			w.view.say("the gate answers again")
		}
		w.show(ctx, all)
		return nil
	case ctx.Err() != nil || !passes(err):
		return err
	case !w.away:
		w.away = true
		w.view.say("trying again: " + err.Error())
	}
	if to, err := w.find(); err == nil { // it may be back at another address
		w.gate = to
	}
	return nil
}

// passes reports whether an error may be over at the next look.
func passes(err error) bool {
	problem, ok := errors.AsType[*client.Problem](err)
	return !ok || problem.Status >= http.StatusInternalServerError || problem.Status == http.StatusTooManyRequests
}

// show brings the view up to date, and says what became of what is gone.
func (w *watch) show(ctx context.Context, all []client.Approval) {
	var fresh []client.Approval
	waits := map[string]bool{}
	for i := range all {
		waits[all[i].ID] = true
		if _, ok := w.known[all[i].ID]; !ok {
			fresh = append(fresh, all[i])
		}
		w.known[all[i].ID] = all[i].Code
	}
	for i := range w.last {
		v := &w.last[i]
		if _, ok := w.known[v.ID]; !ok || waits[v.ID] {
			continue
		}
		now, err := w.gate.Approval(ctx, v.ID)
		if err != nil || now.State == tv.ApprovalPending { // not on the first page, or not to be seen
			continue
		}
		w.forget(v.ID)
		w.view.say(v.Code + " is " + string(now.State))
	}
	w.last = all
	w.view.list(w.app.Now(), all, fresh)
}

func (w *watch) forget(id string) {
	delete(w.known, id)
	delete(w.shown, id)
}

// read hands on what is typed, line by line. The reader is left behind in its
// last read when the program ends.
func read(ctx context.Context, from io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(from); in.Scan(); {
			select {
			case lines <- in.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}
