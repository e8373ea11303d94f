// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"context"
	stdpath "path"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Bounds of the search for examples.
const (
	mostExamples = 3
	mostTrials   = 400 // calls that are looked at
)

// example is a call that was tried. Differs is the argument in which it is not
// like the call at hand.
type example struct {
	args    canon.Value
	differs string
}

// search tries calls until it has some that are in the class and some, close by,
// that are not. Each is a call that the tool takes, was analysed anew, and was
// judged by the very condition that is to be in force.
type search struct {
	*proposal
	ctx    context.Context //nolint:containedctx // lives as long as one search
	known  map[string]bool
	trials int
}

func (o *proposal) examples(ctx context.Context) (admits, refuses []example) {
	s := search{proposal: o, ctx: ctx, known: map[string]bool{string(canon.Append(nil, o.args)): true}}
	admits = s.within()
	if len(admits) == 0 {
		admits = []example{{args: o.args}}
	}
	return admits, s.near()
}

// try reports whether a call is one that the tool takes, and whether it is in the
// class.
func (s *search) try(args canon.Value) (in, ok bool) {
	text := string(canon.Append(nil, args))
	if s.known[text] || s.trials >= mostTrials || s.ctx.Err() != nil {
		return false, false
	}
	s.known[text] = true
	s.trials++
	schema := s.tool.Schema()
	if _, clash := schema.Clash(args); clash || len(schema.Validate(args)) > 0 {
		return false, false
	}
	return s.class.holds(s.with(s.ctx, args)), true
}

// within looks for calls that are in the class: each freed argument in turn takes
// its values, first all of them at once, then one alone.
func (s *search) within() []example {
	var out []example
	var free []*place
	longest := 0
	for _, p := range s.places {
		if b, ok := s.bounds[p.at]; ok {
			free, longest = append(free, p), max(longest, len(b.inside))
		}
	}
	take := func(args canon.Value, differs string) {
		if in, ok := s.try(args); ok && in && len(out) < mostExamples {
			out = append(out, example{args, differs})
		}
	}
	for i := range longest {
		args, differs := s.args, ""
		for _, p := range free {
			values := s.bounds[p.at].inside
			if len(values) == 0 {
				continue
			}
			if next, err := replaced(args, p.at, values[i%len(values)]); err == nil {
				args, differs = next, p.at
			}
		}
		if len(free) > 1 {
			differs = ""
		}
		take(args, differs)
	}
	for _, p := range free {
		for _, v := range s.bounds[p.at].inside {
			if args, err := s.put(p, v); err == nil {
				take(args, p.at)
			}
		}
	}
	return out
}

// near looks for calls that are not in the class though only one argument is
// another: what is freed just outside of its bounds, then what is fixed, then one
// argument more.
func (s *search) near() []example {
	var out []example
	for _, most := range []int{1, 2, mostExamples} { // first one of each argument
		for _, p := range s.places {
			if b, free := s.bounds[p.at]; free {
				out = s.misses(out, p, b.outside, most)
			}
		}
		for _, p := range s.places {
			if _, free := s.bounds[p.at]; !free && !p.hidden {
				out = s.misses(out, p, slices.Concat(p.limits.Enum, nearby(p.value)), most)
			}
		}
	}
	more := canon.Object(append(s.args.Members(), canon.Member{Name: "example", Value: canon.Bool(true)})...)
	if in, ok := s.try(more); ok && !in && len(out) < mostExamples {
		out = append(out, example{more, "/example"})
	}
	return out
}

// misses adds calls with other values in one place that are not in the class, at
// most so many.
func (s *search) misses(out []example, p *place, values []canon.Value, most int) []example {
	for _, v := range values {
		if most == 0 || len(out) == mostExamples {
			break
		}
		args, err := s.put(p, v)
		if err != nil {
			continue
		}
		if in, ok := s.try(args); ok && !in {
			out = append(out, example{args, p.at})
			most--
		}
	}
	return out
}

// trials are commands or statements to try as examples of a class: such as do
// what it names, such as do a little more, and the one at hand with other names in
// it. Whether one is in the class is for its condition to say.
func (f *Free) trials(p *place) (inside, outside []canon.Value) {
	text := p.value.Text()
	if p.role.Kind == tv.RoleSQL {
		return f.statements(text)
	}
	var folders []string
	for _, d := range f.Does {
		folders = append(folders, d.Under...)
	}
	add := func(list *[]canon.Value, s string) { *list = append(*list, canon.String(s)) }
	for _, d := range f.Does {
		for _, program := range d.Programs {
			verbs := d.Verbs
			if len(verbs) == 0 {
				verbs = []string{""}
			}
			for _, verb := range verbs {
				words := strings.TrimSpace(program + " " + verb)
				add(&inside, words)
				for _, folder := range folders {
					add(&inside, words+" "+folder+"/example.txt")
					add(&inside, words+" "+folder+"/a/b.txt")
				}
				add(&outside, words+" /etc/passwd")
			}
			add(&outside, program+" push")
		}
	}
	for _, e := range p.effects {
		if e.Path == "" || !strings.Contains(text, stdpath.Base(e.Path)) {
			continue
		}
		name := stdpath.Base(e.Path)
		add(&inside, strings.ReplaceAll(text, name, "example-"+name))
		add(&outside, strings.ReplaceAll(text, name, name+"/../../../etc/passwd"))
		if strings.Contains(text, e.Path) {
			for _, folder := range folders {
				add(&inside, strings.ReplaceAll(text, e.Path, folder+"/example.txt"))
			}
			add(&outside, strings.ReplaceAll(text, e.Path, "/etc/passwd"))
		}
	}
	for _, more := range []string{" && curl https://example.net/x", "; rm -rf /tmp/example", " > /tmp/example", " | sh"} {
		add(&outside, text+more)
	}
	return inside, outside
}

// statements are the same for a database.
func (f *Free) statements(text string) (inside, outside []canon.Value) {
	add := func(list *[]canon.Value, s string) { *list = append(*list, canon.String(s)) }
	for _, d := range f.Does {
		for _, table := range d.Reads {
			if slices.Contains(d.Verbs, "select") {
				add(&inside, "SELECT * FROM "+table)
				add(&inside, "SELECT count(*) FROM "+table)
				add(&inside, "SELECT * FROM "+table+" WHERE id = 1")
			}
			add(&outside, "DELETE FROM "+table)
			add(&outside, "SELECT * FROM "+table+"; DROP TABLE "+table)
			add(&outside, "SELECT * FROM "+table+"_other")
		}
		for _, table := range d.Changes {
			if slices.Contains(d.Verbs, "delete") {
				add(&inside, "DELETE FROM "+table+" WHERE id = 1")
				add(&inside, "DELETE FROM "+table+" WHERE id = 2")
			}
			if slices.Contains(d.Verbs, "insert") {
				add(&inside, "INSERT INTO "+table+" (id) VALUES (1)")
				add(&inside, "INSERT INTO "+table+" (id) VALUES (2)")
			}
			if slices.Contains(d.Verbs, "update") {
				add(&inside, "UPDATE "+table+" SET id = 2 WHERE id = 1")
				add(&inside, "UPDATE "+table+" SET id = 3 WHERE id = 1")
			}
			add(&outside, "DELETE FROM "+table)
			add(&outside, "DROP TABLE "+table)
		}
	}
	add(&inside, text+" ")
	add(&outside, text+"; DROP TABLE example")
	return inside, outside
}
