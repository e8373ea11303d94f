// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Script is what the model says in one conversation, turn by turn. After the last turn
// it says "over".
type Script struct {
	Word  string // stands in the first message of the user: it says which script is meant
	Turns []Turn
}

// Turn is one answer of the model: calls, or a text. The text of a turn without calls
// must be of its own in its script, because turns are counted by it.
type Turn struct {
	Text  string
	Calls []Call
}

// Call is one call that the model makes.
type Call struct {
	Name  string
	Space string // Responses: the namespace of the function
	Input string // the arguments as JSON, or the text of a call of a custom tool
	Free  bool   // Responses: a call of a custom tool, whose input is text
	// Find is a regular expression: its first group, as the results of the turn before show
	// it, stands for FOUND in the input.
	Find string
}

// over is what the model says when its script has ended.
const over = "over"

// Say is a turn of a text.
func Say(text string) Turn { return Turn{Text: text} }

// Use is a turn of one call whose arguments are made of names and values in turn.
func Use(name string, arguments ...string) Turn { return Turn{Calls: []Call{Make(name, arguments...)}} }

// Make is a call whose arguments are made of names and values in turn.
func Make(name string, arguments ...string) Call {
	in := map[string]string{}
	for i := 0; i+1 < len(arguments); i += 2 {
		in[arguments[i]] = arguments[i+1]
	}
	b, err := json.Marshal(in)
	if err != nil {
		panic(err) // a map of texts always marshals
	}
	return Call{Name: name, Input: string(b)}
}

// id names a call: of two scripts or turns none are equal.
func id(s *Script, turn, call int) string {
	return fmt.Sprintf("call_%s_%d_%d", s.Word, turn, call)
}

// input is what a call is made with.
func (c *Call) input(results []Result) string {
	if c.Find == "" {
		return c.Input
	}
	find := regexp.MustCompile(c.Find)
	for _, r := range results {
		if m := find.FindStringSubmatch(r.Text); m != nil {
			return strings.ReplaceAll(c.Input, "FOUND", m[1])
		}
	}
	return c.Input
}

// spoken is one message of a conversation, whichever API it came by.
type spoken struct {
	model   bool
	text    string
	calls   []string // the names of what the model called
	results []Result
}

// Result is what the model was told of a call.
type Result struct {
	Call string // its id; "" where the API has none
	Text string
}

// opening is what the user said before the model first spoke.
func opening(said []spoken) string {
	var b strings.Builder
	for _, m := range said {
		if m.model {
			break
		}
		b.WriteString(m.text + "\n")
	}
	return b.String()
}

// turn counts what the model has said of a script. Agents put words into its mouth,
// which do not count.
func (s *Script) turn(said []spoken) int {
	n := 0
	for _, m := range said {
		if m.model && n < len(s.Turns) && s.Turns[n].is(m) {
			n++
		}
	}
	return n
}

// is reports whether a message is this turn.
func (t *Turn) is(m spoken) bool {
	if len(t.Calls) > 0 {
		return len(m.calls) > 0
	}
	return strings.Contains(m.text, t.Text)
}
