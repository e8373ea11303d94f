// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package fact collects what is found out about one SQL statement and turns it
// into effects. It knows nothing of a dialect but what a value for [All] means.
package fact

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
)

// All stands for relations or columns that the text does not name.
const All = "*"

// Names is a list without repeats, in the order in which they were added.
type Names struct {
	list []string
	seen map[string]bool // from many on
}

const many = 16

// Add puts a name at the end unless it is there.
func (n *Names) Add(names ...string) {
	for _, name := range names {
		if name == "" { // as SQLite lets a table be called
			name = `""`
		}
		if n.Has(name) {
			continue
		}
		n.list = append(n.list, name)
		switch {
		case n.seen != nil:
			n.seen[name] = true
		case len(n.list) == many:
			n.seen = make(map[string]bool, 2*many)
			for _, s := range n.list {
				n.seen[s] = true
			}
		}
	}
}

// Has reports whether the name was added.
func (n *Names) Has(name string) bool {
	if n.seen != nil {
		return n.seen[name]
	}
	return slices.Contains(n.list, name)
}

// Any reports whether there is a name at all.
func (n *Names) Any() bool { return len(n.list) > 0 }

// List returns the names. The caller must not change it.
func (n *Names) List() []string { return n.list }

// Statement is what is known of one statement, or of a part of it that is an
// effect of its own. The zero value does nothing; a Statement is for one
// goroutine.
type Statement struct {
	Verb      string
	Reads     Names
	Changes   Names
	Columns   Names
	Functions Names
	// Unbounded says that rows which exist may be changed without a condition
	// that chooses them.
	Unbounded bool
	Limit     int64
	// Others are effects besides the query itself, such as a file that is read.
	Others []toolverdict.Effect
}

// Effects returns the statement's effects; place is its place in the text.
func (s *Statement) Effects(place int) []toolverdict.Effect {
	effects := make([]toolverdict.Effect, 0, 1+len(s.Others))
	effects = append(effects, toolverdict.Effect{Kind: toolverdict.EffectQuery, Query: &toolverdict.Query{
		Statement: place, Verb: s.Verb, Reads: s.Reads.List(), Changes: s.Changes.List(), Columns: s.Columns.List(),
		Functions: s.Functions.List(), Bounded: !s.Unbounded, Limit: s.Limit}})
	return append(effects, s.Others...)
}

// Within are the effects of a text of SQL that a statement runs: they are the
// statement's, which has its place in the text that holds it.
func Within(place int, effects []toolverdict.Effect) []toolverdict.Effect {
	for i, e := range effects {
		if e.Query != nil {
			query := *e.Query
			query.Statement = place
			effects[i].Query = &query
		}
	}
	return effects
}

// Merge adds everything of another statement but its verb and limit.
func (s *Statement) Merge(o *Statement) {
	s.Reads.Add(o.Reads.List()...)
	s.Changes.Add(o.Changes.List()...)
	s.Columns.Add(o.Columns.List()...)
	s.Functions.Add(o.Functions.List()...)
	s.Unbounded = s.Unbounded || o.Unbounded
	s.Others = append(s.Others, o.Others...)
}

// Other adds an effect besides the query.
func (s *Statement) Other(e toolverdict.Effect) { s.Others = append(s.Others, e) }

// ReadFile says that a file of the database server is read; name is the text
// that names it, empty where it is not known.
func (s *Statement) ReadFile(name string) { s.file(toolverdict.EffectRead, name) }

// ReadClientFile says that a file of the machine is read which the database's client
// runs on.
func (s *Statement) ReadClientFile(name string) {
	s.Other(toolverdict.Effect{Kind: toolverdict.EffectRead, Path: absolute(name), Detail: "on the database's client"})
}

// WriteFile says that a file of the database server is written.
func (s *Statement) WriteFile(name string) { s.file(toolverdict.EffectWrite, name) }

// ListFiles says that a folder of the database server is listed.
func (s *Statement) ListFiles(name string) {
	s.Other(toolverdict.Effect{Kind: toolverdict.EffectRead, Path: absolute(name), Deep: true, Names: true, Detail: onServer})
}

// ReadFiles says that the files of a folder of the database server are read, and
// those of the folders in it.
func (s *Statement) ReadFiles(name string) {
	s.Other(toolverdict.Effect{Kind: toolverdict.EffectRead, Path: absolute(name), Deep: true, Detail: onServer})
}

const onServer = "on the database server"

func (s *Statement) file(kind toolverdict.EffectKind, name string) {
	s.Other(toolverdict.Effect{Kind: kind, Path: absolute(name), Detail: onServer})
}

// absolute is the name's path where it does not depend on the server's folder.
func absolute(name string) string {
	if !strings.HasPrefix(name, "/") || strings.ContainsRune(name, 0) {
		return ""
	}
	return path.Clean(name)
}

// Shell says that the database server gives a command to its shell.
func (s *Statement) Shell(command string) {
	s.Other(toolverdict.Effect{Kind: toolverdict.EffectExecute, Program: "sh", Argv: []string{"sh", "-c", command}, Detail: onServer})
}

// Library says that the database server loads a library and runs what is in it.
func (s *Statement) Library(name string) {
	s.ReadFile(name)
	s.Other(toolverdict.Effect{Kind: toolverdict.EffectExecute, Program: name, Detail: onServer})
}

// Unclear adds an opaque effect; why must not hold anything of the text.
func (s *Statement) Unclear(why string) { s.Other(Opaque(why)) }

// Opaque is the effect of what was not understood.
func Opaque(why string) toolverdict.Effect {
	return toolverdict.Effect{Kind: toolverdict.EffectOpaque, Detail: why}
}

// Distinct leaves out effects that are equal to one before.
func Distinct(effects []toolverdict.Effect) []toolverdict.Effect {
	seen := map[string]bool{}
	return slices.DeleteFunc(effects, func(e toolverdict.Effect) bool {
		key, err := json.Marshal(e)
		if err != nil || seen[string(key)] {
			return err == nil
		}
		seen[string(key)] = true
		return false
	})
}

// Name joins the parts of a name. A part that could be taken for several, or
// for [All], is put in double quotes; an empty part is left out.
func Name(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(quoted(part))
	}
	return b.String()
}

func quoted(part string) string {
	if !strings.ContainsAny(part, `."*`) {
		return part
	}
	return `"` + strings.ReplaceAll(part, `"`, `""`) + `"`
}
