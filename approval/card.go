// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// card says what will happen, from redacted arguments only. The session's name
// is the caller's to choose: hide makes it fit to be shown.
func card(q tv.Question, hide func(string) string) tv.Card {
	def := q.Tool.Definition()
	s := q.Call.Subject
	who := s.User
	if who == "" {
		who = s.ID
	}
	var all json.RawMessage
	if !bytes.Equal(q.Whole, q.Redacted) {
		all = q.Whole
	}
	return tv.Card{
		Tool: q.Tool.Name(), Whole: all, Summary: Summary(def, q.Redacted), Arguments: q.Redacted,
		Effects: q.Effects, More: q.More,
		Risk: def.Risk, Safety: def.Safety, Impact: plain.Mark(def.Impact), Rules: q.Decision.Rules,
		Reason: plain.Mark(q.Decision.Reason), Requester: who, Agent: asking(s), Session: hide(q.Call.Session),
	}
}

// shownTo is an approval as a subject may see it. Whoever is no person decides
// nothing, and the paths of effects tell of the host what its call did not say:
// whose home folder it works in.
func (d *Desk) shownTo(by tv.Subject, a tv.Approval) tv.Approval {
	if by.Kind == tv.Person {
		return a
	}
	effects := make([]tv.Effect, len(a.Card.Effects))
	for i, e := range a.Card.Effects {
		effects[i] = e.MapText(d.c.Text)
	}
	if a.Card.Effects != nil {
		a.Card.Effects = effects
	}
	return a
}

var placeholder = regexp.MustCompile(`\{[A-Za-z0-9_]+\}`)

// maxFilled bounds one argument in a summary, in characters.
const maxFilled = 80

// Summary fills the tool's sentence. A tool without one is named with its
// arguments: never a bare "are you sure?".
func Summary(def tv.Definition, redacted json.RawMessage) string {
	var args map[string]json.RawMessage
	if json.Unmarshal(redacted, &args) != nil {
		args = nil
	}
	if def.Summary == "" {
		return plain.Mark(fmt.Sprintf("Run %s with %s", def.Name, plain.Clip(string(redacted), 4*maxFilled)))
	}
	return plain.Mark(placeholder.ReplaceAllStringFunc(def.Summary, func(name string) string {
		raw, ok := args[name[1:len(name)-1]]
		if !ok {
			return "(not given)"
		}
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		return plain.Clip(text, maxFilled)
	}))
}

// maxShown bounds a text that somebody chose, in characters.
const maxShown = 1000

// shown makes free text fit for a card or a record. Secrets are hidden first: a
// cut or a replaced line end would leave one that is not known any more.
func (d *Desk) shown(s string) string {
	return plain.Mark(plain.Clip(d.c.Text(s), maxShown))
}

// asking names the subject that asked on somebody's behalf, so that a person can
// tell agents apart.
func asking(s tv.Subject) string {
	switch {
	case s.Kind == tv.Person || s.User == "" || s.User == s.ID:
		return s.Agent
	case s.Agent == "" || s.Agent == s.ID:
		return s.ID
	}
	return s.ID + " (" + s.Agent + ")"
}
