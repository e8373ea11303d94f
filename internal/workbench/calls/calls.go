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

func read(text []byte) (Call, error) {
	v, err := canon.ParseObject(text, canon.Limits{MaxBytes: maxLine})
	if err != nil {
		return Call{}, fmt.Errorf("this is not strict JSON: write one object a line: %w", err)
	}
	l := line{}
	l.members(v, "", "tool", "args", "arguments", "subject", "session", "model", "run", "env", "time", "verdict", "rule")
	c := Call{
		Tool: l.text(v, "", "tool"), Rule: l.text(v, "", "rule"), Verdict: l.text(v, "", "verdict"),
		Subject: l.subject(v), Host: l.host(v), Arguments: l.arguments(v),
	}
	switch {
	case l.fault != nil:
		return c, l.fault
	case c.Tool == "":
		return c, fmt.Errorf("the call names no tool: add \"tool\": \"server/tool\"")
	case !slices.Contains([]string{"", tv.Allow.String(), tv.Ask.String(), tv.Deny.String()}, c.Verdict):
		return c, fmt.Errorf("verdict %q is not known: write allow, ask or deny", plain.Mark(c.Verdict))
	}
	return c, nil
}
