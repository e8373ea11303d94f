// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package calls reads calls that were written down: a file with one JSON object
// a line, or records of the audit log, whose arguments are redacted. What a
// record does not tell is marked as hidden and never made up.
package calls

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Call is one call that was written down.
type Call struct {
	At        string // where it was found, for messages
	Tool      string
	Arguments tv.Value
	Subject   *tv.Subject // nil: not told
	Host      Host
	Hidden    []string // JSON pointers of arguments that the record does not tell
	Effects   []tv.Effect
	Analysed  bool    // Effects are all that the call would do, and nothing of them is hidden
	Verdict   string  // that it got then, "" where that is not told
	Code      tv.Code // why it was not allowed
	Rule      string
	Ran       bool // a gate that only observes let it through, whatever its verdict
}

// Host is what the host said of a call.
type Host struct {
	Model       string
	Session     string
	Run         tv.Run
	Environment map[string]string
	Time        time.Time
	Unknown     []string // fields of a rule that are not told, such as subject.roles
}

// Request is the call as a policy decides it.
func (c *Call) Request(t *tv.Tool) tv.Request {
	r := tv.Request{
		Tool: t, Arguments: c.Arguments, Model: c.Host.Model, Session: c.Host.Session, Run: c.Host.Run,
		Environment: c.Host.Environment, At: c.Host.Time, Subject: tv.Subject{ID: "somebody"},
	}
	if c.Subject != nil {
		r.Subject = *c.Subject
	}
	return r
}

const (
	maxLine  = 4 << 20
	maxCalls = 1_000_000
)

// Read reads one call from each line that is not empty.
func Read(name string, from io.Reader) ([]Call, error) {
	var out []Call
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		at := fmt.Sprintf("%s:%d", name, n)
		if len(out) == maxCalls {
			return nil, fmt.Errorf("%s: more than %d calls: split the file", at, maxCalls)
		}
		c, err := read(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		c.At = at
		out = append(out, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: read: %w", name, err)
	}
	return out, nil
}

func keys() []string {
	return []string{"tool", "args", "arguments", "subject", "session", "model", "run", "env", "time", "verdict", "rule"}
}

func read(text []byte) (Call, error) {
	v, err := canon.ParseObject(text, canon.Limits{MaxBytes: maxLine})
	if err != nil {
		return Call{}, fmt.Errorf("this is not strict JSON: write one object a line: %w", err)
	}
	for key := range v.Fields() {
		if !slices.Contains(keys(), key) {
			return Call{}, fmt.Errorf("unknown member %q: known are %s", plain.Mark(key), strings.Join(keys(), ", "))
		}
	}
	c := Call{Tool: text1(v, "tool"), Verdict: text1(v, "verdict"), Rule: text1(v, "rule")}
	c.Host.Session, c.Host.Model = text1(v, "session"), text1(v, "model")
	if c.Tool == "" {
		return c, fmt.Errorf("the call names no tool: add \"tool\": \"server/tool\"")
	}
	arguments, ok := v.Get("args")
	other, both := v.Get("arguments")
	switch {
	case ok && both:
		return c, fmt.Errorf("both args and arguments are given: keep one of them")
	case both:
		arguments = other
	case !ok:
		arguments = canon.Object()
	}
	if c.Arguments = arguments; arguments.Kind() != canon.KindObject {
		return c, fmt.Errorf("the arguments are no object")
	}
	if at := text1(v, "time"); at != "" {
		if c.Host.Time, err = time.Parse(time.RFC3339, at); err != nil {
			return c, fmt.Errorf("time: write it like 2025-01-15T22:30:00+08:00")
		}
	}
	return c, c.caller(v)
}

func text1(v canon.Value, name string) string {
	m, _ := v.Get(name)
	return m.Text()
}

// caller reads who calls, where that is told.
func (c *Call) caller(v canon.Value) error {
	if env, ok := v.Get("env"); ok {
		c.Host.Environment = map[string]string{}
		for name, m := range env.Fields() {
			c.Host.Environment[name] = m.Text()
		}
	}
	if run, ok := v.Get("run"); ok {
		readOnly, _ := run.Get("readOnly")
		c.Host.Run = tv.Run{ID: text1(run, "id"), ReadOnly: readOnly.Bool()}
	}
	s, ok := v.Get("subject")
	if !ok {
		return nil
	}
	if s.Kind() != canon.KindObject {
		return fmt.Errorf("subject: write an object with id, kind, user, agent, roles, permissions")
	}
	c.Subject = &tv.Subject{ID: text1(s, "id"), Kind: tv.SubjectKind(text1(s, "kind")), User: text1(s, "user"), Agent: text1(s, "agent")}
	for name, to := range map[string]*[]string{"roles": &c.Subject.Roles, "permissions": &c.Subject.Permissions} {
		list, _ := s.Get(name)
		for _, item := range list.Items() {
			*to = append(*to, item.Text())
		}
	}
	return nil
}
