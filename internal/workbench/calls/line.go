// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// line reads the members of one call and keeps the first fault. A member that is
// not taken as it stands is one: a call decided without its roles, or for
// another subject, is another call.
type line struct{ fault error }

func (l *line) fail(format string, args ...any) {
	if l.fault == nil {
		l.fault = fmt.Errorf(format, args...)
	}
}

// members reports whether a value is an object, with members that are known.
func (l *line) members(v canon.Value, what string, known ...string) bool {
	if v.Kind() != canon.KindObject {
		l.fail("%s is %s: write an object of %s, or leave it out", what, v.Kind(), strings.Join(known, ", "))
		return false
	}
	if what != "" {
		what = " of " + what
	}
	for key := range v.Fields() {
		if !slices.Contains(known, key) {
			l.fail("unknown member %q%s: known are %s", plain.Mark(key), what, strings.Join(known, ", "))
			return false
		}
	}
	return true
}

// member is a member of the type that is wanted.
func (l *line) member(v canon.Value, what, name string, kind canon.Kind) (canon.Value, bool) {
	m, there := v.Get(name)
	if there && m.Kind() != kind {
		l.fail("%s is %s: write %s, or leave it out", what+name, m.Kind(), wanted(kind))
		return m, false
	}
	return m, there
}

// wanted says a type with an article.
func wanted(kind canon.Kind) string {
	switch kind {
	case canon.KindBool:
		return "true or false"
	case canon.KindArray:
		return "a list of texts"
	case canon.KindString:
		return "a text"
	default:
		return "an " + kind.String()
	}
}

func (l *line) text(v canon.Value, what, name string) string {
	m, _ := l.member(v, what, name, canon.KindString)
	return m.Text()
}

func (l *line) texts(v canon.Value, what, name string) []string {
	list, ok := l.member(v, what, name, canon.KindArray)
	if !ok {
		return nil
	}
	var out []string
	for i, item := range list.Items() {
		if item.Kind() != canon.KindString {
			l.fail("%s/%d is %s: write a text", what+name, i, item.Kind())
		}
		out = append(out, item.Text())
	}
	return out
}

func (l *line) arguments(v canon.Value) canon.Value {
	arguments, ok := v.Get("args")
	other, both := v.Get("arguments")
	switch {
	case ok && both:
		l.fail("both args and arguments are given: keep one of them")
	case both:
		arguments = other
	case !ok:
		return canon.Object()
	}
	if arguments.Kind() != canon.KindObject {
		l.fail("the arguments are no object: they are %s", arguments.Kind())
	}
	return arguments
}

// subject reads who calls, where that is told.
func (l *line) subject(v canon.Value) *tv.Subject {
	const what = "subject."
	s, there := v.Get("subject")
	if !there || !l.members(s, "subject", "id", "kind", "user", "agent", "roles", "permissions") {
		return nil
	}
	kind := tv.SubjectKind(l.text(s, what, "kind"))
	if !slices.Contains([]tv.SubjectKind{"", tv.Person, tv.Agent, tv.Service}, kind) {
		l.fail("subject.kind %q is not known: write person, agent or service", plain.Mark(string(kind)))
	}
	return &tv.Subject{
		ID: l.text(s, what, "id"), Kind: kind, User: l.text(s, what, "user"), Agent: l.text(s, what, "agent"),
		Roles: l.texts(s, what, "roles"), Permissions: l.texts(s, what, "permissions"),
	}
}

// host reads what the host said of the call.
func (l *line) host(v canon.Value) Host {
	h := Host{Session: l.text(v, "", "session"), Model: l.text(v, "", "model")}
	if at := l.text(v, "", "time"); at != "" {
		var err error
		if h.Time, err = time.Parse(time.RFC3339, at); err != nil {
			l.fail("time: write it like 2025-01-15T22:30:00+08:00")
		}
	}
	if run, there := v.Get("run"); there && l.members(run, "run", "id", "readOnly") {
		readOnly, _ := l.member(run, "run.", "readOnly", canon.KindBool)
		h.Run = tv.Run{ID: l.text(run, "run.", "id"), ReadOnly: readOnly.Bool()}
	}
	env, there := l.member(v, "", "env", canon.KindObject)
	if !there {
		return h
	}
	h.Environment = map[string]string{}
	for name, m := range env.Fields() {
		if m.Kind() != canon.KindString {
			l.fail("env.%s is %s: write a text", plain.Mark(name), m.Kind())
		}
		h.Environment[name] = m.Text()
	}
	return h
}
