// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// maxWhen bounds a condition in bytes.
const maxWhen = 64 << 10

// question is the call at hand, as it would be decided now.
type question struct {
	tool     *tv.Tool
	args     canon.Value
	request  tv.Request
	places   []*place
	analyser tv.Analyser
}

// ask makes a question of a stored call.
func ask(ctx context.Context, t *tv.Tool, c tv.StoredCall, analyser tv.Analyser) (*question, error) {
	args, err := canon.Parse(c.Arguments, canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth})
	if err != nil {
		return nil, fmt.Errorf("read the call that is asked about: %v", err)
	}
	q := &question{tool: t, analyser: analyser, request: tv.Request{
		Tool: t, Subject: c.Subject, Model: c.Model, Session: c.Session, Run: c.Run, Environment: c.Environment,
	}}
	q.args, q.request = args, q.with(ctx, args)
	q.places = placesOf(t, args, q.request.Effects)
	return q, nil
}

// with is the same question with other arguments, and what the call then would
// do.
func (q *question) with(ctx context.Context, args canon.Value) tv.Request {
	r := q.request
	r.Arguments, r.Effects = args, nil
	if len(q.tool.Definition().Roles) > 0 {
		r.Effects = q.analyser.Analyse(ctx, q.tool, args, r.Environment).Effects
	}
	return r
}

// put is the arguments with another value in one place.
func (q *question) put(p *place, v canon.Value) (canon.Value, error) {
	return replaced(q.args, p.at, v)
}

func replaced(args canon.Value, at string, v canon.Value) (canon.Value, error) {
	target, ok := args.Pointer(at)
	if !ok {
		return args, fmt.Errorf("there is no argument %s", at)
	}
	b, err := canon.Splice(args.Raw(), canon.Replace(target, canon.Append(nil, v)))
	if err != nil {
		return args, err
	}
	return canon.Parse(b, canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth})
}

// proposal is a class of calls with all that was found out about it.
type proposal struct {
	*question
	when   json.RawMessage
	class  *class
	bounds map[string]bound // by the place
}

// propose makes the class of a choice. The call at hand is always in it.
func (q *question) propose(ctx context.Context, c Choice) (*proposal, error) {
	out := &proposal{question: q, bounds: map[string]bound{}}
	for _, at := range slices.Sorted(maps.Keys(c.Free)) {
		i := slices.IndexFunc(q.places, func(p *place) bool { return p.at == at })
		if i < 0 {
			return nil, refused("the call has no single argument %s: name one of its arguments by its JSON pointer", canon.Quote(at))
		}
		f := c.Free[at]
		if q.places[i].role.Kind != "" && len(q.request.Effects) == 0 {
			return nil, refused("what the call would do is not known: the argument %s stays as it is", at)
		}
		b, err := f.bound(q.places[i])
		if err != nil {
			return nil, err
		}
		out.bounds[at] = b
	}
	// What is seen of effects is pinned as closely as the language can tell.
	for _, closely := range []bool{true, false} {
		when, err := out.condition(ctx, c, closely)
		if err != nil {
			return nil, err
		}
		out.when = when
		if out.class, err = compile(q.tool, when); err != nil {
			return nil, refused("this class of calls cannot be put into a condition: free less, or approve the call alone")
		}
		if out.class.holds(q.request) {
			return out, nil
		}
	}
	return nil, refused("the call at hand would not be in this class: %s", out.why())
}

// why tells what keeps the call at hand out, as far as one argument does.
func (o *proposal) why() string {
	for at := range o.bounds {
		return fmt.Sprintf("check the bounds of %s", at)
	}
	return "what it would do cannot be told for sure"
}

// condition writes the class in the language of policies.
func (o *proposal) condition(ctx context.Context, c Choice, closely bool) (json.RawMessage, error) {
	all := shape(o.args)
	for _, p := range o.places {
		b, free := o.bounds[p.at]
		switch {
		case !free:
			all = append(all, fixed(p.field, p.value)...)
		case b.when != nil:
			all = append(all, tests{p.field: b.when})
		}
	}
	ways, err := o.effects(ctx, c, closely)
	if err != nil {
		return nil, err
	}
	if len(ways) > 0 {
		all = append(all, tests{"effects.every": tests{"any": ways}})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(tests{"all": all}); err != nil {
		return nil, fmt.Errorf("write condition: %w", err)
	}
	if b.Len() > maxWhen {
		return nil, refused("the call is too large for a class: approve it alone")
	}
	return ascii(bytes.TrimSpace(b.Bytes())), nil
}

// ascii writes JSON with escapes for all else: policies refuse characters that
// nobody sees, and arguments may have them.
func ascii(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r < utf8.RuneSelf {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

// ways are effects that a call of a class may have, each once.
type ways struct {
	list  []any
	known map[string]bool
}

func (w *ways) add(t tests) {
	text, err := json.Marshal(t)
	if err != nil || !w.known[string(text)] { // one that cannot be written is told by the condition
		w.known[string(text)] = true
		w.list = append(w.list, t)
	}
}

// effects are the ways in which each effect of a call of the class must be one
// that the approver saw, or bounded. None is needed of a call that has none: what
// it does hangs on arguments, and those are fixed.
func (o *proposal) effects(ctx context.Context, c Choice, closely bool) ([]any, error) {
	w := &ways{known: map[string]bool{}}
	o.pin(w, o.request.Effects, closely)
	for _, p := range o.places {
		for _, t := range o.bounds[p.at].effects {
			w.add(t)
		}
		if p.role.Kind == "" {
			continue
		}
		for _, v := range c.Free[p.at].In { // each of the list does what it does
			args, err := o.put(p, v)
			if err != nil {
				return nil, err
			}
			own := slices.DeleteFunc(o.with(ctx, args).Effects, func(e tv.Effect) bool { return e.Source != p.at })
			if slices.ContainsFunc(own, func(e tv.Effect) bool { return e.Kind == tv.EffectOpaque }) {
				return nil, refused("what %s does in the argument %s is not understood", canon.Append(nil, v), p.at)
			}
			o.pin(w, own, closely)
		}
	}
	return w.list, nil
}

// pin adds what was seen of effects, but of those that are bounded otherwise.
func (o *proposal) pin(w *ways, seen []tv.Effect, closely bool) {
	for i := range seen {
		free := false
		for at, b := range o.bounds {
			free = free || b.effects != nil && (seen[i].Source == at || strings.HasPrefix(seen[i].Source, at+"/"))
		}
		if !free {
			w.add(pinned(&seen[i], closely))
		}
	}
}
