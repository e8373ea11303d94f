// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package tree is a policy as it was read: rules and conditions with their
// places, in the words of the file. It says how each of them is written, and
// what a slip of the writer would have made of a rule. It knows nothing of what
// they mean.
package tree

import (
	"fmt"
	"strconv"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Pos is a place in a file. Lines and columns count from 1.
type Pos struct {
	File   string
	Line   int
	Column int
}

// File is one policy file.
type File struct {
	Pos
	Policy  string // name
	Version string
	Default toolverdict.Verdict
	Zone    *time.Location
	Rules   []*Rule
	Unused  []Define
	Content []byte // canonical JSON of the file, rules by id
}

// Define is a list that is defined and not used.
type Define struct {
	Pos
	Name string
}

// Rule gives a verdict for the calls it matches.
type Rule struct {
	Pos
	ID      string
	Verdict toolverdict.Verdict
	Reason  string
	Tools   []Pattern
	When    Condition // nil: no condition
	Unless  Condition // nil: no exception
	Ask     *Ask      // only with verdict ask; nil: the defaults
	Limit   *Limit
	Match   []Example
	NoMatch []Example
}

// PatternKind says what a tool pattern looks at.
type PatternKind uint8

// Kinds of pattern.
const (
	ByName PatternKind = iota // exact, or a glob
	ByGroup
	BySafety
	ByRisk
)

// Pattern is one entry of a rule's tools.
type Pattern struct {
	Pos
	Kind PatternKind
	Text string // without its prefix
	Full bool   // ByName: compared with "server/tool", not with the tool's own name
	Glob bool   // ByName: holds a star
	Meta bool   // ByName: names a method ("server/@method"), never a tool
}

// Condition is one of [*All], [*Any], [*Not], [*Test], [*Effects], [*History],
// [*CEL].
type Condition interface{ condition() }

// All holds where every part holds.
type All struct{ Parts []Condition }

// Any holds where one part holds.
type Any struct{ Parts []Condition }

// Not turns its part around.
type Not struct{ Part Condition }

// Test holds where the field's value satisfies every operator.
type Test struct {
	Field Field
	Ops   []Op
}

// Effects holds where one effect of the call, or every one, satisfies the part.
// The tests in it have fields of the root "effects", with the name of the
// effect's field as their only step.
type Effects struct {
	Pos
	Every bool
	Part  Condition
}

// CEL holds where the expression is true.
type CEL struct {
	Pos
	Text   string
	Origin []Pos // of each character of the text, and of its end
}

// At returns the place in the file of the character with that number, from 0.
func (c *CEL) At(character int) Pos {
	return c.Origin[min(max(character, 0), len(c.Origin)-1)]
}

func (*All) condition()     {}
func (*Any) condition()     {}
func (*Not) condition()     {}
func (*Test) condition()    {}
func (*Effects) condition() {}
func (*CEL) condition()     {}

// Field names what a test looks at: a root and the steps from there.
type Field struct {
	Pos
	Text  string // as written
	Root  string // args, tool, subject, agent, session, run, env, time, effects
	Steps []Step
}

// StepKind says how a step goes on.
type StepKind uint8

// Kinds of step.
const (
	Member StepKind = iota
	Index
	Every // [*]
)

// Step is one step of a field's path.
type Step struct {
	Kind  StepKind
	Name  string
	Index int
}

// Op is one operator with its operands.
type Op struct {
	Pos
	Name   string    // eq, in, prefix …
	Values []Literal // of a comparison, at least one
	Bool   bool      // of exists
	Ops    []Op      // of any, every, not, length
}

// AppendOps appends a text that is the same for operators that mean the same.
func AppendOps(b []byte, ops []Op) []byte {
	for i := range ops {
		o := &ops[i]
		b = append(b, o.Name...)
		b = strconv.AppendBool(append(b, ' '), o.Bool)
		for j := range o.Values {
			v := &o.Values[j]
			b = append(b, " tnb"[v.Kind+1])
			switch v.Kind {
			case Number:
				b = append(b, v.Number.String()...)
			case Bool:
				b = strconv.AppendBool(b, v.Bool)
			case Text:
				b = AppendText(b, v.Text)
			}
		}
		b = append(AppendOps(append(b, '('), o.Ops), ')')
	}
	return b
}

// LiteralKind is the type of a literal.
type LiteralKind uint8

// Kinds of literal.
const (
	Text LiteralKind = iota
	Number
	Bool
)

// String names the kind for a message.
func (k LiteralKind) String() string {
	switch k {
	case Number:
		return "number"
	case Bool:
		return "boolean"
	case Text:
	}
	return "text"
}

// Literal is one scalar of the policy.
type Literal struct {
	Pos
	Kind   LiteralKind
	Text   string
	Number canon.Number
	Bool   bool
	List   string // the list that it comes from, "" where it is written in place
}

// String says which literal a message is about.
func (l Literal) String() string {
	if l.List == "" {
		return "this"
	}
	return fmt.Sprintf("%q of the list %q", l.Text, l.List)
}

// Ask is what a rule demands of approvers.
type Ask struct {
	Approvers    []string
	Quorum       int
	Expires      time.Duration
	SelfApproval bool
	Escalate     toolverdict.Escalation

	EditorMayApprove bool
	ClientAttested   bool
}

// Requirement is what an ask rule demands; a is nil where it says nothing of it.
func (a *Ask) Requirement(rule string) toolverdict.Requirement {
	if a == nil {
		return toolverdict.Requirement{Rule: rule, Quorum: 1}
	}
	return toolverdict.Requirement{
		Rule: rule, Approvers: a.Approvers, Quorum: a.Quorum, Expires: a.Expires, SelfApproval: a.SelfApproval,
		Escalate: a.Escalate, EditorMayApprove: a.EditorMayApprove, ClientAttested: a.ClientAttested,
	}
}

// Limit counts the dispatches of matching calls.
type Limit struct {
	Max int
	Per time.Duration
	By  []string // sorted
}

// AppendText appends a text as JSON, so that texts put side by side cannot be
// taken for others.
func AppendText(b []byte, s string) []byte { return canon.AppendString(b, s) }

// Example is a call that a rule must match, or must not.
type Example struct {
	Pos
	Tool        string // "" means any tool of the rule
	Args        canon.Value
	Subject     *toolverdict.Subject // nil means some signed-in subject
	Environment map[string]string
	Run         toolverdict.Run
	Session     string
	Model       string
	At          time.Time
	Effects     []toolverdict.Effect
	Analysed    bool   // Effects are all there are
	History     []Past // nil: not known
}
