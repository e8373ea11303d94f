// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Scopes of a grant: all are calls of the same subject, for the same user, by the
// same agent.
const (
	ScopeRun     = "run"     // of the same run
	ScopeSession = "session" // of the same session
	ScopeSubject = "subject" // whatever the run and the session
)

// Choice is what an approver picks. The zero Choice is the narrowest there is.
type Choice struct {
	Free    map[string]Free // by JSON pointer of the argument
	Scope   string          // "" is the narrowest that the call has
	For     time.Duration   // 0 is the default
	Uses    int             // 0 is the default
	Reason  string
	Preview bool // nothing is to be written
}

// Free says within what bounds one argument is free. Exactly one form is set.
type Free struct {
	Between []canon.Number // numbers, and amounts of money: from, to, both in it
	In      []canon.Value  // one of these
	Prefix  string         // texts that begin so
	Glob    string         // texts of this form
	Length  int            // with Prefix and Glob: the most characters; 0 is twice what the call has
	Under   []string       // paths at or below one of these folders
	Hosts   []string       // URLs at one of these hosts
	Domains []string       // mail addresses at one of these domains
	Either  bool           // true or false
	Subset  []canon.Value  // lists of these, one at least
	Does    []Doing        // commands and statements that do nothing else
}

// Doing is one kind of thing that a command or a statement may do.
type Doing struct {
	Kind     string   `json:"kind"`               // execute, read, write, delete, connect or query
	Programs []string `json:"programs,omitempty"` // execute
	Verbs    []string `json:"verbs,omitempty"`    // execute, query: subcommands, statements
	Under    []string `json:"under,omitempty"`    // read, write, delete
	Hosts    []string `json:"hosts,omitempty"`    // connect
	Reads    []string `json:"reads,omitempty"`    // query: relations
	Changes  []string `json:"changes,omitempty"`  // query: relations; none where it is left out
}

// Bounds of a choice.
const (
	maxFree   = 32  // arguments
	maxListed = 50  // values of one list
	maxText   = 500 // bytes of one text
)

// ParseChoice reads a choice as the API writes it. Nothing in it is passed over.
func ParseChoice(body []byte) (Choice, error) {
	v, err := canon.ParseObject(body, canon.Limits{MaxBytes: 64 << 10, MaxDepth: 8})
	if err != nil {
		return Choice{}, refused("the choice is not one strict JSON object: %v", err)
	}
	r := reader{}
	r.known(v, "the choice", "free", "scope", "expires", "uses", "reason", "preview")
	c := Choice{Scope: r.text(v, "scope"), Uses: r.count(v, "uses"), Reason: r.text(v, "reason"), Free: map[string]Free{}}
	if text := r.text(v, "expires"); text != "" {
		if c.For, err = time.ParseDuration(text); err != nil || c.For <= 0 {
			r.fail("expires must be a time such as 30m")
		}
	}
	if preview, ok := v.Get("preview"); ok {
		if c.Preview = preview.Bool(); preview.Kind() != canon.KindBool {
			r.fail("preview must be true or false")
		}
	}
	free, given := v.Get("free")
	if given && (free.Kind() != canon.KindObject || free.Len() > maxFree) {
		r.fail("free must be an object of at most %d arguments, by JSON pointer", maxFree)
	}
	for at, form := range free.Fields() {
		c.Free[at] = r.free(at, form)
	}
	return c, r.err
}

// reader reads members and keeps the first thing that is wrong.
type reader struct{ err error }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = refused(format, args...)
	}
}

func (r *reader) known(v canon.Value, what string, names ...string) {
	if v.Kind() != canon.KindObject {
		r.fail("%s must be an object", what)
		return
	}
	for name := range v.Fields() {
		if !slices.Contains(names, name) {
			r.fail("%s has an unknown member %q: known are %s", what, name, strings.Join(names, ", "))
		}
	}
}

func (r *reader) text(v canon.Value, name string) string {
	m, ok := v.Get(name)
	if !ok {
		return ""
	}
	if m.Kind() != canon.KindString || m.Text() == "" || len(m.Text()) > maxText {
		r.fail("%s must be text of at most %d bytes", name, maxText)
	}
	return m.Text()
}

func (r *reader) count(v canon.Value, name string) int {
	m, ok := v.Get(name)
	if !ok {
		return 0
	}
	n, whole := m.Number().Int64()
	if m.Kind() != canon.KindNumber || !whole || n < 1 || n > 1<<20 {
		r.fail("%s must be a whole number above 0", name)
		return 0
	}
	return int(n)
}

func (r *reader) values(v canon.Value, name string) []canon.Value {
	m, ok := v.Get(name)
	if !ok {
		return nil
	}
	if m.Kind() != canon.KindArray || m.Len() == 0 || m.Len() > maxListed {
		r.fail("%s must be a list of 1 to %d values", name, maxListed)
		return nil
	}
	for _, e := range m.Items() {
		if k := e.Kind(); k == canon.KindObject || k == canon.KindArray || k == canon.KindNull || len(e.RawText()) > maxText {
			r.fail("%s must hold short texts, numbers, true or false", name)
		}
	}
	return m.Elems()
}

func (r *reader) texts(v canon.Value, name string) []string {
	var out []string
	for _, e := range r.values(v, name) {
		if e.Kind() != canon.KindString || e.Text() == "" {
			r.fail("%s must be a list of texts", name)
		}
		out = append(out, e.Text())
	}
	return out
}

func (r *reader) free(at string, v canon.Value) Free {
	forms := []string{"between", "in", "prefix", "glob", "under", "hosts", "domains", "either", "subset", "does"}
	r.known(v, "the argument "+at, append(forms, "length")...)
	given := slices.DeleteFunc(slices.Clone(forms), func(name string) bool { _, ok := v.Get(name); return !ok })
	if len(given) != 1 {
		r.fail("the argument %s needs exactly one of %s", at, strings.Join(forms, ", "))
		return Free{}
	}
	f := Free{
		In: r.values(v, "in"), Prefix: r.text(v, "prefix"), Glob: r.text(v, "glob"), Length: r.count(v, "length"), Under: r.texts(v, "under"),
		Hosts: r.texts(v, "hosts"), Domains: r.texts(v, "domains"), Subset: r.values(v, "subset"),
	}
	if either, ok := v.Get("either"); ok {
		if f.Either = either.Kind() == canon.KindBool && either.Bool(); !f.Either {
			r.fail("either must be true")
		}
	}
	for _, n := range r.values(v, "between") {
		if n.Kind() != canon.KindNumber {
			r.fail("between must be two numbers")
		}
		f.Between = append(f.Between, n.Number())
	}
	if _, ok := v.Get("between"); ok && len(f.Between) != 2 {
		r.fail("between must be two numbers")
	}
	f.Does = r.doings(v)
	return f
}

func (r *reader) doings(v canon.Value) []Doing {
	list, ok := v.Get("does")
	if !ok {
		return nil
	}
	if list.Kind() != canon.KindArray || list.Len() == 0 || list.Len() > maxListed {
		r.fail("does must be a list of 1 to %d things", maxListed)
		return nil
	}
	var out []Doing
	for _, e := range list.Items() {
		r.known(e, "an entry of does", "kind", "programs", "verbs", "under", "hosts", "reads", "changes")
		if e.Kind() != canon.KindObject {
			return nil
		}
		out = append(out, Doing{
			Kind: r.text(e, "kind"), Programs: r.texts(e, "programs"), Verbs: r.texts(e, "verbs"), Under: r.texts(e, "under"),
			Hosts: r.texts(e, "hosts"), Reads: r.texts(e, "reads"), Changes: r.texts(e, "changes"),
		})
	}
	return out
}

// Refused says why a class of calls cannot be granted, in words that are fit for
// whoever asked for it.
type Refused struct{ why string }

// Error implements error.
func (r *Refused) Error() string { return "grant calls like this: " + r.why }

// Refusal returns the reason alone.
func (r *Refused) Refusal() string { return r.why }

func refused(format string, args ...any) error { return &Refused{fmt.Sprintf(format, args...)} }
