// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"slices"
	"strconv"
	"strings"
)

// EffectKind says what a call would do to the world.
type EffectKind string

// Kinds of effect. Opaque is the one for everything that could not be
// understood: rules treat it as anything it might be.
const (
	EffectRead    EffectKind = "read"
	EffectWrite   EffectKind = "write"
	EffectDelete  EffectKind = "delete"
	EffectExecute EffectKind = "execute"
	EffectConnect EffectKind = "connect"
	EffectSend    EffectKind = "send"
	EffectSpend   EffectKind = "spend"
	EffectQuery   EffectKind = "query"
	EffectOpaque  EffectKind = "opaque"
)

// Effect is one thing a call would do. Only the fields of its kind are set; an
// empty field of the kind is not known, and unknown is not false: a deny rule
// that asks for it matches.
type Effect struct {
	Kind   EffectKind `json:"kind"`
	Source string     `json:"source,omitempty"` // JSON pointer of the argument it was found in
	Detail string     `json:"detail,omitempty"` // of opaque: why; else where in the argument, for people; never a secret

	Path    string `json:"path,omitempty"`    // read, write, delete: absolute and cleaned; "" is some path that is not known
	Deep    bool   `json:"deep,omitempty"`    // read, write, delete: Path, or anything below it, or all of it
	Pattern string `json:"pattern,omitempty"` // with Deep: an absolute glob, as bash reads it, that what is touched matches; "" matches all
	Names   bool   `json:"names,omitempty"`   // read: only names, sizes and times, no content
	Folded  bool   `json:"folded,omitempty"`  // read, write, delete: the file system takes names that differ in case or Unicode form for one: compare folds (canon.Fold)

	// Program is the base name where the program is found by the search path
	// or in a folder of the system, else its path: ./ls is not ls. In Argv a
	// NUL stands for text that is not known before it runs, and a word of
	// nothing else for any number of words.
	Program string   `json:"program,omitempty"` // execute
	Argv    []string `json:"argv,omitempty"`    // execute: the words; nil where they are not known
	Verb    string   `json:"verb,omitempty"`    // execute: the subcommand behind global options, by its full name: push, install
	SHA256  string   `json:"sha256,omitempty"`  // execute: of the file that is run, where the gate sees it; "none" where there is no such file
	Known   bool     `json:"known,omitempty"`   // execute: the table knows what files and hosts the program touches, and they are among the effects

	Host    string `json:"host,omitempty"`    // connect: canonical, lower case, no trailing dot
	IP      string `json:"ip,omitempty"`      // connect: canonical, where the host is an address or was resolved
	Port    int    `json:"port,omitempty"`    // connect
	Scheme  string `json:"scheme,omitempty"`  // connect
	Network string `json:"network,omitempty"` // connect: public, private, loopback, link-local, metadata, reserved

	Recipient string `json:"recipient,omitempty"` // send: canonical address
	Domain    string `json:"domain,omitempty"`    // send: canonical, ASCII, lower case
	Field     string `json:"field,omitempty"`     // send: to, cc or bcc, where it is known

	Amount   string `json:"amount,omitempty"` // spend: exact decimal
	Currency string `json:"currency,omitempty"`

	Query *Query `json:"query,omitempty"` // query
}

// String says the effect in a few words, for people: "delete /srv and what is
// below". It holds text of the call as it came.
func (e Effect) String() string {
	words := []string{string(e.Kind)}
	add := func(parts ...string) {
		for _, p := range parts {
			if p != "" {
				words = append(words, p)
			}
		}
	}
	switch e.Kind {
	case EffectRead, EffectWrite, EffectDelete:
		add(e.files())
	case EffectExecute:
		add(e.program())
	case EffectConnect:
		add(e.Scheme, e.address())
	case EffectSend:
		add(e.Field, e.Recipient)
	case EffectSpend:
		add(e.Amount, e.Currency)
	case EffectQuery:
		add(e.Query.words())
	case EffectOpaque: // its detail says why
	}
	if e.Detail != "" && e.Kind == EffectOpaque {
		add("(" + e.Detail + ")")
	}
	return strings.Join(words, " ")
}

func (e *Effect) files() string {
	what := e.Path
	switch {
	case e.Pattern != "":
		what = e.Pattern
	case what == "":
		what = "a file that is not known"
	case e.Deep:
		what += " and what is below"
	}
	if e.Names {
		what = "the names of " + what
	}
	return what
}

func (e *Effect) program() string {
	if len(e.Argv) == 0 {
		return e.Program
	}
	words := make([]string, len(e.Argv))
	for i, w := range e.Argv {
		words[i] = strings.ReplaceAll(w, "\x00", "…")
	}
	return strings.Join(words, " ")
}

func (e *Effect) address() string {
	out := e.Host
	if e.Port > 0 {
		out += ":" + strconv.Itoa(e.Port)
	}
	if e.IP != "" && e.IP != e.Host {
		out += " at " + e.IP
	}
	if e.Network != "" {
		out += ", " + e.Network
	}
	return out
}

// MapText returns the effect with every text that comes from the call put
// through f. What it was made of is not changed.
func (e Effect) MapText(f func(string) string) Effect {
	for _, s := range []*string{
		&e.Source, &e.Detail, &e.Path, &e.Pattern, &e.Program, &e.Verb, &e.Host, &e.IP, &e.Scheme,
		&e.Recipient, &e.Domain, &e.Amount,
	} {
		if *s != "" {
			*s = f(*s)
		}
	}
	e.Argv = mapAll(e.Argv, f)
	if e.Query != nil {
		q := *e.Query
		q.Reads, q.Changes = mapAll(q.Reads, f), mapAll(q.Changes, f)
		q.Columns, q.Functions = mapAll(q.Columns, f), mapAll(q.Functions, f)
		e.Query = &q
	}
	return e
}

func mapAll(list []string, f func(string) string) []string {
	list = slices.Clone(list)
	for i, s := range list {
		list[i] = f(s)
	}
	return list
}

// Query is what one SQL statement would do, or a part of one that changes data
// by itself (WITH). In Reads, Changes and Columns "*" stands for any number that
// the text does not name; a name with a dot or a star of its own is in double
// quotes.
type Query struct {
	Statement int      `json:"statement"`           // which of the text's statements, from 1
	Verb      string   `json:"verb"`                // select, insert, update, delete, merge, truncate, create, alter, drop, grant, copy, call, set, lock, begin, commit, …
	Reads     []string `json:"reads,omitempty"`     // relations, as written, schema-qualified where given, folded as the dialect folds
	Changes   []string `json:"changes,omitempty"`   // relations
	Columns   []string `json:"columns,omitempty"`   // columns named, without their relation, "*" for all
	Functions []string `json:"functions,omitempty"` // functions called that the table does not know to be harmless
	Bounded   bool     `json:"bounded"`             // no row that exists is changed but by a WHERE that chooses rows; true of what changes none
	Limit     int64    `json:"limit,omitempty"`     // row limit, 0 for none known
}

// OnlyReads reports whether the statement surely changes nothing: it reads
// relations, and calls no function that could do more. A nil query is not known.
func (q *Query) OnlyReads() bool {
	if q == nil || len(q.Changes) > 0 || len(q.Functions) > 0 {
		return false
	}
	return slices.Contains([]string{"select", "values", "table", "show", "explain", "describe"}, q.Verb)
}

func (q *Query) words() string {
	if q == nil {
		return ""
	}
	out := q.Verb
	if len(q.Changes) > 0 {
		out += " " + strings.Join(q.Changes, ", ")
		if !q.Bounded {
			out += ", any number of rows"
		}
	}
	if len(q.Reads) > 0 {
		out += ", reads " + strings.Join(q.Reads, ", ")
	}
	if len(q.Functions) > 0 {
		out += ", calls " + strings.Join(q.Functions, ", ")
	}
	return out
}
