// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package ladder has the words for a call that waits for a person: a question
// that leads to the approval's page, one that the client's own user answers, and
// a task. It knows the protocol's shapes of them, what a client says it can do,
// and what its answers mean. It decides nothing, and takes no answer for a yes
// that is not exactly one.
package ladder

import (
	"fmt"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// key names the gate's question among those of an upstream.
const key = "toolverdict/approval"

// Able is what a client says it can do. It is the client's own word, so nothing
// that matters may hang on it: at worst a client gets a question that it cannot
// show.
type Able struct {
	Page bool // lead its user to a page
	Form bool // show its user a form
	Task bool // come back for a task
}

// Of reads what the client says with this very request. The older revisions say
// it once and for all, and nothing here remembers.
func Of(m *mcpwire.Message) Able {
	if !m.Modern() {
		return Able{}
	}
	capabilities := m.Meta().Get(mcpwire.MetaCapabilities)
	elicits := capabilities.Get("elicitation")
	page, form := elicits.Get("url").Exists(), elicits.Get("form").Exists()
	return Able{
		Page: page, Form: form || elicits.Kind() == canon.KindObject && !page, // one without a word means forms
		Task: capabilities.Lookup("extensions", TaskExtension).Exists(),
	}
}

// Question is what a client is asked.
type Question struct {
	About toolverdict.ConfirmationInfo
	Link  string // to the approval's page, "" where there is none
	State string // what the client brings back
}

// ByPage asks the client to lead its user to the page.
func ByPage(q Question) []byte {
	text := fmt.Sprintf("A person must approve this call: %s Open the page to see and decide it. Confirmation id: %s", q.About.Summary, q.About.ID)
	b := append([]byte(`{"mode":"url","elicitationId":`), canon.Quote(q.About.ID)...)
	b = append(append(b, `,"url":`...), canon.Quote(q.Link)...)
	return inputRequired(q, b, text)
}

// approve is the one answer in a form. It has no default: a client that fills in
// defaults by itself has not asked anybody.
const approve = "approve"

// ByForm asks the client to ask its own user.
func ByForm(q Question) []byte {
	text := fmt.Sprintf("May this call run? %s", q.About.Summary)
	if q.About.Impact != "" {
		text += " What it does: " + q.About.Impact
	}
	if q.About.Reason != "" {
		text += " Why you are asked: " + q.About.Reason
	}
	if q.Link != "" {
		text += " All of it: " + q.Link
	}
	text += " Confirmation id: " + q.About.ID
	return inputRequired(q, []byte(`{"mode":"form","requestedSchema":{"type":"object","properties":{"`+approve+
		`":{"type":"boolean","title":"Run this call","description":"Yes only if exactly this is meant to happen."}},"required":["`+approve+`"]}`), text)
}

// inputRequired closes the params of a question and puts it into an answer.
func inputRequired(q Question, params []byte, text string) []byte {
	b := append([]byte(`{"resultType":"input_required","inputRequests":{`), canon.Quote(key)...)
	b = append(append(b, `:{"method":"elicitation/create","params":`...), params...)
	b = append(append(b, `,"message":`...), canon.Quote(plain.Line(text))...)
	b = append(append(b, `}}},"requestState":`...), canon.Quote(q.State)...)
	return append(b, '}')
}

// Opened reports whether the client says that it led its user to the page.
func Opened(params mcpwire.Node) bool {
	return params.Lookup("inputResponses", key, "action").Text() == "accept"
}

// Agreed reports whether the client says that its user said yes in the form: both
// that the form was sent off, and that the answer in it is yes.
func Agreed(params mcpwire.Node) bool {
	answer := params.Lookup("inputResponses", key, "content", approve)
	return Opened(params) && answer.Kind() == canon.KindBool && answer.IsTrue()
}
