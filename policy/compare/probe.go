// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
	"github.com/toolverdict/toolverdict/policy/internal/sample"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Probe varies what is not known of a request, so that it can be seen whether a
// policy's answer depends on it.
type Probe struct{ of *loaded }

// NewProbe prepares a policy. A nil catalog knows no tool.
func NewProbe(files []policy.File, known toolverdict.Catalog) (*Probe, error) {
	l, err := load(files, known)
	if err != nil {
		return nil, err
	}
	return &Probe{l}, nil
}

// Variations are requests that differ from one in what is not known of it.
type Variations struct {
	Requests []toolverdict.Request
	Of       []string // the fields that rules look at and that are not known
	Complete bool     // every other value would be decided as one of these is
}

// maxVariations bounds the requests that are made of one.
const maxVariations = 600

// Vary returns variations of a request. Hidden are the fields that are not
// known: "args" with a JSON pointer behind it for an argument and all in it, and
// the names of the host's fields, such as "subject.roles", or "env" for all of
// those. Where the effects are not known, rules about them are never complete.
func (p *Probe) Vary(r toolverdict.Request, hidden []string, effects bool) Variations {
	var ids []string
	for _, rs := range p.of.inspect.Explain(toolverdict.Request{Tool: r.Tool}, policy.Shown{}).Rules {
		ids = append(ids, rs.ID)
	}
	fields, beyond := sample.Fields(p.of.conditions(ids))
	args := slices.ContainsFunc(hidden, func(h string) bool { return strings.HasPrefix(h, "args") })
	opaque := beyond.Other && (len(hidden) > 0 || effects) || beyond.History && (args || effects)
	out := Variations{Complete: !opaque}
	requests := []toolverdict.Request{r}
	for _, f := range fields {
		if f.Root == sample.Effects && effects {
			out.Of, out.Complete = append(out.Of, "effects"), false
			continue
		}
		if !covered(&f, hidden) {
			continue
		}
		out.Of = append(out.Of, f.Root+fieldText(f.Steps))
		values, exact := guesses(r.Tool, &f)
		out.Complete = out.Complete && exact
		next, ok := crossed(requests, &f, values)
		out.Complete = out.Complete && ok
		requests = append(next, requests...)
		requests = requests[:min(len(requests), maxVariations)]
	}
	if opaque && len(out.Of) == 0 {
		out.Of = []string{"what a condition in CEL or about history looks at"}
	}
	if len(out.Of) > 0 {
		out.Requests = requests
	}
	return out
}

// crossed gives each request each value of a field.
func crossed(requests []toolverdict.Request, f *sample.Field, values []canon.Value) (next []toolverdict.Request, complete bool) {
	complete = true
	for _, one := range requests {
		for _, v := range values {
			if len(next) == maxVariations {
				return next, false
			}
			changed, ok := with(one, f, v)
			if !ok {
				complete = false
				continue
			}
			next = append(next, changed)
		}
	}
	return next, complete
}

// covered reports whether a field is hidden, or may be a part of what is, or
// hold some of it.
func covered(f *sample.Field, hidden []string) bool {
	name := f.Root
	if f.Root != "args" {
		name += fieldText(f.Steps)
		return slices.ContainsFunc(hidden, func(h string) bool { return h == name || h == f.Root })
	}
	for _, s := range f.Steps {
		if s.Kind != syntax.Member {
			break // whatever is in the list
		}
		name += "/" + strings.ReplaceAll(strings.ReplaceAll(s.Name, "~", "~0"), "/", "~1")
	}
	return slices.ContainsFunc(hidden, func(h string) bool {
		return h == name || strings.HasPrefix(h, name+"/") || strings.HasPrefix(name, h+"/")
	})
}

// guesses are values that a field may have, and whether they stand for all.
func guesses(t *toolverdict.Tool, f *sample.Field) (values []canon.Value, exact bool) {
	switch {
	case f.Root == "subject" && (f.Steps[0].Name == "roles" || f.Steps[0].Name == "permissions"):
		return subsets(f.Values)
	case f.Root != "args":
		return append([]canon.Value{{}}, f.Values...), f.Exact
	case f.Fan >= 0:
		return f.Values, false
	}
	types, _ := declared(t, f.Steps)
	for _, v := range f.Values {
		if fits(types, v) {
			values = append(values, v)
		}
	}
	// What is hidden is there. Lists have more outcomes than their elements, so
	// only the schema's word that it is none makes the guesses complete.
	return values, f.Exact && len(types) > 0 && !slices.Contains(types, "array") && !slices.Contains(types, "object")
}

// subsets are all lists of some of the values.
func subsets(values []canon.Value) (out []canon.Value, exact bool) {
	const most = 6
	values = slices.DeleteFunc(slices.Clone(values), func(v canon.Value) bool { return v.Text() == "" })
	exact = len(values) <= most
	values = values[:min(len(values), most)]
	for set := range 1 << len(values) {
		var list []canon.Value
		for i, v := range values {
			if set&(1<<i) != 0 {
				list = append(list, v)
			}
		}
		out = append(out, canon.Array(list...))
	}
	return out, exact
}

// with is the request with another value in a field.
func with(r toolverdict.Request, f *sample.Field, v canon.Value) (toolverdict.Request, bool) {
	if f.Root != "args" {
		env := map[string]string{}
		maps.Copy(env, r.Environment)
		r.Environment = env
		if f.Root == "env" && v.IsZero() {
			delete(env, f.Steps[0].Name)
			return r, true
		}
		host(&r, &variable{field: *f}, v)
		return r, true
	}
	args, ok := placed(r.Arguments, f.Steps, v)
	r.Arguments = args
	return r, ok
}

// placed puts a value in the place of what stands at a path of members.
func placed(at canon.Value, steps []syntax.Step, v canon.Value) (canon.Value, bool) {
	if len(steps) == 0 {
		return v, true
	}
	if steps[0].Kind != syntax.Member {
		return at, false
	}
	members := at.Members()
	i := slices.IndexFunc(members, func(m canon.Member) bool { return m.Name == steps[0].Name })
	if i < 0 {
		members, i = append(members, canon.Member{Name: steps[0].Name, Value: canon.Object()}), len(members)
	}
	inner, ok := placed(members[i].Value, steps[1:], v)
	members[i].Value = inner
	return canon.Object(members...), ok
}
