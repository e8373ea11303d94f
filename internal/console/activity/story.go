// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import (
	"errors"
	"net/http"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/console/door"
	"github.com/toolverdict/toolverdict/internal/console/view"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// storyBody is what the page of one call shows.
type storyBody struct {
	At     row // the record that the page was opened for
	Steps  []step
	Cut    bool
	End    end
	Call   *view.Past // nil where no record of the decision was found
	Names  names
	Why    why
	Asks   []ask
	Proof  *proven // nil where there is none yet
	Prove  string  // where the proof is to be had
	Broken bool    // the log does not bear the record out
}

// step is one record of a story.
type step struct {
	row
	Here bool // the one that the page is about
}

// end is how a call stands now.
type end struct {
	Verdict string
	State   string // "" where the verdict is all there is
	Code    tv.Code
}

// names are what a call is known by.
type names struct {
	Subject                         string // who called; the record at hand may be of somebody who answered
	Call, Caller, Trace, Key, Model string
	Door                            string
	ToolHash                        string
}

// why is the trace of the decision.
type why struct {
	Seq             int64
	Rules           []trace
	Policy, Hash    string
	ByRule          bool // a rule decided, not a check of the gate itself
	ReasonsAtHand   bool
	Took            time.Duration
	Observed        *observed
	Grant, Approval string
}

// observed is what would have been decided, had the gate not only observed.
type observed struct{ Verdict, Rule string }

// trace is a rule that matched.
type trace struct {
	view.Rule

	Reason  string
	Decided bool
}

// ask is an approval, for those whom it concerns.
type ask struct {
	view.Card

	Title string
}

func (m *Room) story(w http.ResponseWriter, r *http.Request, v door.Visitor) {
	seed, err := m.seed(r.Context(), &v, r.PathValue("call"), r.URL.Query().Get("at"))
	if err != nil {
		m.problem(w, r, v, err)
		return
	}
	t, err := m.gather(r.Context(), &v, &seed)
	if err != nil {
		m.Fault(w, r, v, err)
		return
	}
	body := storyBody{At: newRow(&seed), Cut: t.cut, End: ending(t.records)}
	for i := range t.records {
		n := &t.records[i]
		body.Steps = append(body.Steps, step{newRow(n), n.Seq == seed.Seq})
	}
	if d := decision(&seed, t.records); d != nil {
		tool, _ := m.Tool(d.Tool)
		body.Call, body.Why, body.Names = view.NewPast(v.L, &d.Record, tool), m.why(d), namesOf(&d.Record)
	} else {
		body.Names = namesOf(&seed.Record)
	}
	for i := range t.approvals {
		tool, _ := m.Tool(t.approvals[i].Card.Tool)
		card := view.NewCard(v.L, &t.approvals[i], view.Standing{}, tool, m.Now())
		body.Asks = append(body.Asks, ask{card, card.Summary})
	}
	if body.Proof, err = m.prove(r.Context(), seed.Seq); err != nil {
		m.Logger.Error("a record of the audit log could not be proved: run audit verify", "place", seed.Seq, "error", err)
		body.Broken = true
	}
	body.Prove = proofAddress(&seed)
	title := body.At.Tool
	if title == "" {
		title = v.L.W("activity.kind", body.At.Kind)
	}
	m.Write(w, r, http.StatusOK, "story", m.Frame(r, v, title, body))
}

func (m *Room) problem(w http.ResponseWriter, r *http.Request, v door.Visitor, err error) {
	if errors.Is(err, tv.ErrNotFound) {
		m.NotFound(w, r, v)
		return
	}
	m.Fault(w, r, v, err)
}

// ending is where the last record that says so left the call.
func ending(records []audit.Numbered) end {
	var e end
	for i := range records {
		switch r := &records[i].Record; r.Kind {
		case tv.RecordDecision:
			e = end{Verdict: r.Verdict, Code: r.Code}
		case tv.RecordOutcome:
			e = end{Verdict: e.Verdict, State: state(r), Code: r.Code}
		case tv.RecordApproval:
			if s := state(r); s != "" && r.Code == "" {
				e.State, e.Code = s, ""
			}
		case tv.RecordAdmin:
			if r.Claim != "" { // a person found out
				e.State, e.Code = string(r.Claim), r.Code
			}
		case tv.RecordReplay: // it tells what came of the call, again
		}
	}
	e.State, e.Code = plain.Reveal(e.State), tv.Code(plain.Reveal(string(e.Code)))
	return e
}

// decision is the one that a record follows from: itself, that of its call, or
// the first of the story.
func decision(seed *audit.Numbered, records []audit.Numbered) *audit.Numbered {
	if seed.Kind == tv.RecordDecision {
		return seed
	}
	var first *audit.Numbered
	for i := range records {
		n := &records[i]
		if n.Kind != tv.RecordDecision {
			continue
		}
		if n.CallID == seed.CallID {
			return n
		}
		if first == nil {
			first = n
		}
	}
	return first
}

func (m *Room) why(n *audit.Numbered) why {
	r := &n.Record
	reasons := m.Reasons(r.PolicyHash)
	out := why{
		Seq: n.Seq, Policy: plain.Reveal(r.PolicyVersion), Hash: plain.Reveal(r.PolicyHash), ByRule: r.Rule != "", ReasonsAtHand: reasons != nil, Took: r.Took,
		Grant: plain.Reveal(r.Grant), Approval: plain.Reveal(r.Approval),
	}
	if r.Observed != nil {
		out.Observed = &observed{r.Observed.Verdict.String(), plain.Reveal(r.Observed.Rule)}
	}
	for i, rule := range view.Rules(r.Rules) {
		id := r.Rules[i].Rule
		out.Rules = append(out.Rules, trace{rule, plain.Reveal(reasons[id]), id == r.Rule})
	}
	return out
}

func namesOf(r *tv.Record) names {
	return names{
		Subject: plain.Reveal(r.Subject),
		Call:    plain.Reveal(r.CallID), Caller: plain.Reveal(r.CallerID), Trace: plain.Reveal(r.Trace), Key: plain.Reveal(r.Key),
		Model: plain.Reveal(r.Model), Door: plain.Reveal(string(r.Door)), ToolHash: plain.Reveal(r.ToolHash),
	}
}
