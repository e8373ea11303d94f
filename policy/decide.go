// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// hit is a rule that matched: twice its place in the program, and one more where
// it matched on an unknown.
type hit int32

func hitOf(at int32, unknown bool) hit {
	if unknown {
		return hit(at)<<1 | 1
	}
	return hit(at) << 1
}

func (h hit) unknown() bool { return h&1 != 0 }

// in is the rule that matched.
func (h hit) in(p *program) *rule { return p.rules[h>>1] }

// Decide implements [toolverdict.Policy]. It never fails: where something
// cannot be told, the stricter side wins. The slices of the decision are shared
// with the set and must not be changed.
//
// A limit rule whose counter is not in the request's usage decides nothing and
// is listed in Limits; with it, the rule matches once the counter is full, and
// is listed otherwise, for the dispatch to count.
func (s *Set) Decide(r toolverdict.Request) (d toolverdict.Decision) {
	d.Verdict, d.PolicyVersion, d.PolicyHash = s.fallback, s.version, s.hash
	if r.Tool == nil {
		d.Verdict, d.Code, d.Reason = toolverdict.Deny, toolverdict.PolicyDenied, "the request names no tool"
		return d
	}
	t := s.find(r.Tool)
	if len(t.program.rules) == 0 {
		conclude(&d, t.program, nil)
		return d
	}
	var e eval
	e.req, e.facts, e.slots, e.scratch.At = r, &t.facts, t.program.slots, r.At
	var buf [64]hit
	hits := t.program.hits(&e, buf[:0])
	hits = s.applyLimits(&e, t.program, hits, &d)
	conclude(&d, t.program, hits)
	if d.Verdict == toolverdict.Deny {
		d.Limits = nil
	}
	return d
}

// conclude combines what matched: the strictest verdict, and of the rules with
// that verdict the first by id as the one that decided. A rule that says never
// comes before a limit that says not now.
func conclude(d *toolverdict.Decision, p *program, hits []hit) {
	found := p.recall(hits)
	first := found.first
	d.Rules = found.rules
	if first != nil {
		d.Verdict, d.Rule, d.Reason = first.verdict, first.id, first.reason
	}
	switch d.Verdict {
	case toolverdict.Deny:
		d.Code = toolverdict.PolicyDenied
		if first != nil && first.limit != nil {
			d.Code = toolverdict.RateLimited
		} else {
			d.RetryAfter = 0
		}
		if first == nil {
			d.Reason = "no rule allows it"
		}
	case toolverdict.Ask:
		d.Code, d.RetryAfter = toolverdict.ConfirmationRequired, 0
		d.Asks = found.asks
		if first == nil {
			d.Reason = "no rule allows it without a person"
			d.Asks = []toolverdict.Requirement{{Quorum: 1}}
		}
	default:
		d.RetryAfter = 0
	}
}

// outcome is what a decision lists of the rules that matched.
type outcome struct {
	hits  []hit
	first *rule // that decides
	rules []toolverdict.Match
	asks  []toolverdict.Requirement
}

// maxRecalled bounds the rules of an outcome that is kept.
const maxRecalled = 64

// recall lists rules that matched. The same rules match again and again, so that
// what was listed once is kept: it depends on nothing but the hits.
func (p *program) recall(hits []hit) outcome {
	switch {
	case len(hits) == 0:
		return outcome{}
	case len(hits) == 1:
		r := hits[0].in(p)
		return outcome{first: r, rules: r.alone(hits[0].unknown()), asks: r.asks}
	case len(hits) > maxRecalled || len(p.memo) == 0:
		return p.list(hits)
	}
	hash := uint32(0)
	for _, h := range hits {
		hash = (hash ^ uint32(h)) * 0x9E3779B1 //nolint:gosec // any bits will do
	}
	kept := &p.memo[int(hash>>16)&(len(p.memo)-1)]
	if known := kept.Load(); known != nil && slices.Equal(known.hits, hits) {
		return *known
	}
	made := p.list(hits)
	made.hits = slices.Clone(hits)
	kept.Store(&made)
	return made
}

func (p *program) list(hits []hit) outcome {
	out := outcome{rules: make([]toolverdict.Match, len(hits))}
	for i, h := range hits {
		r := h.in(p)
		out.rules[i] = toolverdict.Match{Rule: r.id, Verdict: r.verdict, Unknown: h.unknown()}
		if first := out.first; first == nil || r.verdict < first.verdict || r.verdict == first.verdict && first.limit != nil && r.limit == nil {
			out.first = r
		}
	}
	if out.first.verdict != toolverdict.Ask {
		return out
	}
	for _, h := range hits {
		out.asks = append(out.asks, h.in(p).asks...)
	}
	out.asks = slices.Clip(out.asks)
	return out
}

func (r *rule) alone(unknown bool) []toolverdict.Match {
	if unknown {
		return r.doubtful
	}
	return r.sure
}

// applyLimits takes the limit rules whose counters are not full out of the
// matches and lists their counters.
func (s *Set) applyLimits(e *eval, p *program, hits []hit, d *toolverdict.Decision) []hit {
	if !p.limits {
		return hits
	}
	kept := hits[:0]
	for _, h := range hits {
		r := h.in(p)
		if r.limit == nil {
			kept = append(kept, h)
			continue
		}
		key := r.limit.key(r.id, e)
		usage := find(e.req.Usage, key)
		if usage == nil || usage.Count < r.limit.max {
			d.Limits = append(d.Limits, toolverdict.Limit{Rule: r.id, Key: key, Max: r.limit.max, Per: r.limit.per})
			continue
		}
		kept = append(kept, h)
		if r.verdict == toolverdict.Deny {
			d.RetryAfter = max(d.RetryAfter, retryAfter(usage, r.limit.per, e.req.At))
		}
	}
	return kept
}

// retryAfter is when the oldest counted dispatch falls out of the window, at
// least a second.
func retryAfter(u *toolverdict.Usage, per time.Duration, at time.Time) time.Duration {
	if u.Oldest.IsZero() || at.IsZero() {
		return per
	}
	return min(max(u.Oldest.Add(per).Sub(at), time.Second), per)
}

func find(usage []toolverdict.Usage, key string) *toolverdict.Usage {
	for i := range usage {
		if usage[i].Key == key {
			return &usage[i]
		}
	}
	return nil
}

// key names the counter: the rule and the values it counts by, as JSON, so that
// no value can imitate another. What the host did not say is counted with the
// subject's other calls of that kind: one counter more widely shared is the
// stricter side.
func (l *limit) key(id string, e *eval) string {
	b := append(make([]byte, 0, 96), '[')
	b = syntax.AppendText(b, id)
	for _, by := range l.by {
		name, v := by, l.counted(by, e)
		if v == "" {
			name, v = "no "+by+" of subject", e.req.Subject.ID
		}
		b = syntax.AppendText(append(b, ','), name)
		b = syntax.AppendText(append(b, ','), v)
	}
	return string(append(b, ']'))
}

func (l *limit) counted(by string, e *eval) string {
	switch by {
	case "session":
		return e.req.Session
	case "subject":
		return e.req.Subject.ID
	case "user":
		return e.req.Subject.User
	case "tool":
		return e.facts.name
	case "agent":
		return e.req.Subject.Acting()
	}
	return e.req.Run.ID
}
