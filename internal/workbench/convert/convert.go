// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package convert turns the policies of other programs into ours: ordered
// first-match lists, and the permission lists of Claude Code.
//
// What is written allows no call that the original did not. Where its meaning
// cannot be kept exactly, the rule is made stricter or left out, and a finding
// says so. What cannot be understood is refused: a rule that was dropped
// silently is a hole.
package convert

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/workbench/draft"
)

// Source is the file to convert.
type Source struct {
	Name    string
	Content []byte
}

// Options says what the file cannot.
type Options struct {
	Policy  string     // name of the policy that is written
	Version string     // its version
	Server  string     // whose tools are meant where a name does not tell
	Tools   []*tv.Tool // that are known; none: nothing is checked against them
	Fix     bool       // write what was likely meant in place of what can never match
	Open    bool       // keep a default of allow
	Home    string     // what ~ stands for
	Project string     // what a path from the project's folder starts at
}

// Finding is something that a reviewer has to know.
type Finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// String returns "file:line:column: message: hint".
func (f Finding) String() string {
	s := fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
	if f.Hint != "" {
		s += ": " + f.Hint
	}
	return s
}

// Findings are the error of a file that cannot be converted.
type Findings []Finding

// Error implements error: one finding a line.
func (f Findings) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// Converted is what came of a file.
type Converted struct {
	File     draft.File
	Findings []Finding
}

// Kind tells which program's file it is: "ordered", "claude-code", or "" where
// that cannot be told.
func Kind(content []byte) string {
	v, err := canon.ParseObject(content, limits())
	if err != nil {
		return ""
	}
	_, rules := v.Get("rules")
	_, permissions := v.Get("permissions")
	switch {
	case rules && !permissions:
		return "ordered"
	case permissions && !rules:
		return "claude-code"
	}
	return ""
}

func limits() canon.Limits {
	return canon.Limits{MaxBytes: 5 << 20, MaxDepth: 32, AllowFoldedSiblings: true}
}

// reader reads a JSON file and collects what is to be said about it.
type reader struct {
	source   Source
	problems Findings // that stop the conversion
	findings []Finding
}

// parse reads the file, nil where it is no strict JSON object.
func (r *reader) parse() (canon.Value, bool) {
	v, err := canon.ParseObject(r.source.Content, limits())
	if err != nil {
		line, column, why := 1, 1, err.Error()
		if syntax, ok := err.(*canon.SyntaxError); ok { //nolint:errorlint // the parser returns it unwrapped
			line, column, why = syntax.Line, syntax.Column, syntax.Reason.Advice()
		}
		r.problems = append(r.problems, Finding{r.source.Name, line, column, "this is not strict JSON", why})
		return v, false
	}
	return v, true
}

// at returns the place of a value: lines and columns from 1.
func (r *reader) at(v canon.Value) (line, column int) {
	start, _ := v.Span()
	before := r.source.Content[:min(start, len(r.source.Content))]
	last := strings.LastIndexByte(string(before), '\n')
	return strings.Count(string(before), "\n") + 1, utf8.RuneCount(before[last+1:]) + 1
}

func (r *reader) finding(v canon.Value, hint, format string, args ...any) Finding {
	line, column := r.at(v)
	return Finding{r.source.Name, line, column, fmt.Sprintf(format, args...), hint}
}

func (r *reader) problem(v canon.Value, hint, format string, args ...any) {
	r.problems = append(r.problems, r.finding(v, hint, format, args...))
}

func (r *reader) say(v canon.Value, hint, format string, args ...any) {
	r.findings = append(r.findings, r.finding(v, hint, format, args...))
}

// members checks that an object has known members only.
func (r *reader) members(v canon.Value, what string, known ...string) bool {
	if v.Kind() != canon.KindObject {
		r.problem(v, "write it as an object of "+strings.Join(known, ", "), "%s is %s", what, v.Kind())
		return false
	}
	for name, m := range v.Fields() {
		if !slices.Contains(known, name) {
			r.problem(m, "known are "+strings.Join(known, ", "), "%s has a member %q, whose meaning is not known", what, show(name))
		}
	}
	return true
}

// show makes a text of the file fit for a message.
func show(s string) string {
	const longest = 60
	return plain.Mark(plain.Cut(s, longest))
}

// tools finds tools and what their arguments can be.
type tools struct {
	known []*tv.Tool
	types map[string]map[string][]string // by tool and argument
}

func newTools(known []*tv.Tool) tools {
	t := tools{known: known, types: map[string]map[string][]string{}}
	for _, one := range known {
		t.types[one.Name()] = argumentTypes(one.Definition().InputSchema)
	}
	return t
}

// argumentTypes reads the types that a schema names for its own properties.
// What it says in other ways is not known.
func argumentTypes(schema json.RawMessage) map[string][]string {
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	out := map[string][]string{}
	if json.Unmarshal(schema, &s) != nil {
		return out
	}
	for name, p := range s.Properties {
		switch t := p.Type.(type) {
		case string:
			out[name] = []string{t}
		case []any:
			for _, one := range t {
				if text, ok := one.(string); ok {
					out[name] = append(out[name], text)
				}
			}
		}
	}
	return out
}

// withRole returns the tools that have an argument of a role, and its names: ""
// stands for an argument that only a member of has the role.
func (t *tools) withRole(role string) map[string][]string {
	out := map[string][]string{}
	for _, one := range t.known {
		for pointer, has := range one.Roles() {
			if string(has.Kind) != role {
				continue
			}
			name := strings.TrimPrefix(pointer, "/")
			if strings.Contains(name, "/") {
				name = ""
			}
			name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
			out[one.Name()] = append(out[one.Name()], name)
		}
	}
	return out
}
