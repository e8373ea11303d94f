// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"context"
	"slices"

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
