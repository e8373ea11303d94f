// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package predicate

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// mostSummed bounds how many calls are added up: of more, no sum is known.
const mostSummed = 2_000

// Question is what a rule asks of earlier calls: a test of how many there were,
// or of what a number of theirs comes to.
type Question struct {
	Key    string // names what is asked, whatever is made of the answer
	Sum    string // names the numbers that are added up, "" for none
	source *syntax.History
	covers func(toolverdict.PastTool) bool
	most   int
	test   Predicate
}

// Question compiles a condition on earlier calls. Covers says which tools count.
func (c *Compiler) Question(h *syntax.History, covers func(toolverdict.PastTool) bool, positive bool) *Question {
	q := &Question{source: h, covers: covers, Sum: sumName(h)}
	ops := h.Ops
	if h.Kind == "any" {
		ops = []syntax.Op{{Pos: h.Pos, Name: "gte", Values: []syntax.Literal{{Kind: syntax.Number, Number: canon.IntNumber(1)}}}}
	}
	q.test = c.Compile(ops, Target{}, positive)
	if q.most = mostSummed; h.Kind != "sum" {
		q.most = int(highest(ops)) + 1
		q.settled(c)
	}
	q.Key = q.name()
	return q
}

// settled complains about a test that says the same of every number of calls,
// unless something else is wrong with it, which is told elsewhere.
func (q *Question) settled(c *Compiler) {
	if !countable(q.source.Ops) {
		return
	}
	var s Scratch
	first := q.at(&s, 0)
	for n := range q.most {
		if q.at(&s, n+1) != first {
			return
		}
	}
	c.Problem(q.source.Pos, "compare with numbers that tell one count from another", "history.%s is %s for every number of calls", q.source.Kind, first)
}

func countable(ops []syntax.Op) bool {
	for _, o := range ops {
		for _, l := range o.Values {
			if l.Kind != syntax.Number || !syntax.Countable(l) {
				return false
			}
		}
		if len(o.Values) == 0 && o.Name != "not" || !countable(o.Ops) || o.Name == "between" && o.Values[0].Number.Cmp(o.Values[1].Number) > 0 {
			return false
		}
	}
	return true
}

// highest is the least whole number that is no less than any operand: for all
// numbers beyond it, the test says the same.
func highest(ops []syntax.Op) int64 {
	most := int64(0)
	for _, o := range ops {
		most = max(most, highest(o.Ops))
		for _, l := range o.Values {
			i, whole := l.Number.Int64()
			for !whole && i < syntax.MostCounted && l.Number.Cmp(canon.IntNumber(i)) > 0 {
				i++
			}
			most = max(most, min(i, syntax.MostCounted))
		}
	}
	return most
}

// sumName names what is added up, the same however it is written.
func sumName(h *syntax.History) string {
	switch {
	case h.Currency != "":
		return "spend " + h.Currency
	case h.Of == nil:
		return ""
	}
	name := []byte("args")
	for _, s := range h.Of.Steps {
		if s.Kind == syntax.Index {
			name = append(strconv.AppendInt(append(name, '['), int64(s.Index), 10), ']')
			continue
		}
		name = syntax.AppendText(append(name, '.'), s.Name)
	}
	return string(name)
}

// name is the same for questions that have one answer.
func (q *Question) name() string {
	h := q.source
	tools := make([]string, len(h.Tools))
	for i, p := range h.Tools {
		tools[i] = strconv.Itoa(int(p.Kind)) + ":" + p.Text
	}
	slices.Sort(tools)
	b := []byte(h.What + " " + h.Within.String())
	for _, list := range [][]string{h.By, {q.Sum}, tools} {
		b = append(b, '[')
		for _, word := range list {
			b = syntax.AppendText(b, word)
		}
		b = append(b, ']')
	}
	return string(b)
}

// Wider reports whether the answer tells more than that to the same question of
// another rule: it counts further.
func (q *Question) Wider(other *Question) bool { return q.most > other.most }

// Look puts the question for a request.
func (q *Question) Look(r *toolverdict.Request) toolverdict.Look {
	l := toolverdict.Look{
		Key: q.Key, Tools: q.covers, Subject: r.Subject.ID, Within: q.source.Within, Most: q.most, Sum: q.Sum,
		Least: map[string]toolverdict.PastState{
			"attempted": toolverdict.PastAttempted, "executed": toolverdict.PastDispatched, "succeeded": toolverdict.PastSucceeded,
		}[q.source.What],
	}
	for _, by := range q.source.By {
		tie := toolverdict.Tie{By: by}
		switch by {
		case "session":
			tie.Value = r.Session
		case "subject":
			tie.Value = r.Subject.ID
		case "user":
			tie.Value = r.Subject.User
		case "agent":
			tie.Value = r.Subject.Acting()
		case "run":
			tie.Value = r.Run.ID
		case "tool":
			own, covers := r.Tool.Name(), q.covers
			l.Tools = func(t toolverdict.PastTool) bool { return t.Name == own && covers(t) }
			continue
		}
		l.Ties = append(l.Ties, tie)
	}
	return l
}

// Covers reports whether calls of a tool count.
func (q *Question) Covers(t toolverdict.PastTool) bool { return q.covers(t) }

// AndThis reports whether the call that is decided counts, too.
func (q *Question) AndThis() bool { return q.source.AndThis }

// Hidden reports whether the number lies where one of some JSON pointers leads.
func (q *Question) Hidden(pointers []string) bool { return q.source.Hidden(pointers) }

// Eval tests the answers. What was not answered is not known. This is the number
// of the call itself, nil where it does not count.
func (q *Question) Eval(s *Scratch, answers []toolverdict.Seen, this *toolverdict.Number) Truth {
	at := slices.IndexFunc(answers, func(seen toolverdict.Seen) bool { return seen.Key == q.Key })
	if at < 0 {
		return Unknown
	}
	seen := &answers[at]
	if q.Sum != "" {
		return q.evalSum(s, seen.Sum, this)
	}
	low, high := counted(seen, this)
	out := q.at(s, low)
	for n := low + 1; n <= high && out != Unknown; n++ {
		if q.at(s, n) != out {
			return Unknown
		}
	}
	return out
}

// Show says what was answered, together with the number of the call itself, as
// it is tested.
func (q *Question) Show(answers []toolverdict.Seen, this *toolverdict.Number) string {
	at := slices.IndexFunc(answers, func(seen toolverdict.Seen) bool { return seen.Key == q.Key })
	if at < 0 {
		return "not known"
	}
	seen := &answers[at]
	if q.Sum != "" {
		n, ok := total(seen.Sum, this)
		if !ok {
			return "not known"
		}
		return n.String()
	}
	low, high := counted(seen, this)
	if low < high {
		return fmt.Sprintf("%d to %d", low, high)
	}
	return strconv.Itoa(low)
}

// counted is how many calls there were at least and at most.
func counted(seen *toolverdict.Seen, this *toolverdict.Number) (low, high int) {
	low, high = seen.Count, seen.Count+seen.Maybe
	if this != nil {
		low, high = low+1, high+1
	}
	return low, high
}

// total adds the number of the call itself to a sum. It is not ok where either
// is not known.
func total(sum string, this *toolverdict.Number) (n canon.Number, ok bool) {
	n, ok = canon.ParseDecimal(sum)
	if ok && this != nil {
		var own canon.Number
		own, ok = canon.ParseDecimal(this.Value)
		n = n.Add(own)
	}
	return n, ok
}

func (q *Question) at(s *Scratch, n int) Truth {
	v := Value{Kind: Whole, N: int64(n)}
	return q.test.Eval(s, &v, false)
}

func (q *Question) evalSum(s *Scratch, sum string, this *toolverdict.Number) Truth {
	n, ok := total(sum, this)
	if !ok {
		return Unknown
	}
	v := Value{Kind: Number, JSON: n.Value()}
	return q.test.Eval(s, &v, false)
}

// Number is what a call adds to the sum, without a value where that is not
// known: a number that is missing, of another type or negative, which would make
// room for others, and one that the tool calls sensitive, which is never kept.
func (q *Question) Number(args toolverdict.Value, effects []toolverdict.Effect, analysed bool) toolverdict.Number {
	out := toolverdict.Number{Name: q.Sum}
	if q.source.Currency != "" {
		if n, ok := spent(effects, q.source.Currency); ok && (analysed || len(effects) > 0) {
			out.Value = n.String()
		}
		return out
	}
	var v Value
	if v.Descend(args, q.source.Of.Steps); v.Kind == Number && v.Number().Sign() >= 0 {
		out.Value = v.Number().String()
	}
	return out
}

// spent adds up what is spent in a currency. It is not known where an effect was
// not understood, or does not say how much of what.
func spent(effects []toolverdict.Effect, currency string) (sum canon.Number, ok bool) {
	if len(effects) > MaxElements {
		return sum, false
	}
	for i := range effects {
		e := &effects[i]
		switch e.Kind {
		case toolverdict.EffectRead, toolverdict.EffectWrite, toolverdict.EffectDelete, toolverdict.EffectExecute,
			toolverdict.EffectConnect, toolverdict.EffectSend, toolverdict.EffectQuery:
			continue
		case toolverdict.EffectSpend:
		default: // opaque, or of a later version
			return sum, false
		}
		if e.Currency != "" && e.Currency != currency {
			continue
		}
		n, err := canon.ParseNumber(e.Amount)
		if err != nil || e.Currency == "" || n.Sign() < 0 {
			return sum, false
		}
		sum = sum.Add(n)
	}
	return sum, true
}
