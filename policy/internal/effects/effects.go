// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package effects knows what fields the effects of a call have, by their kind,
// and reads them. A field that the kind has and that holds nothing is not
// known; of an opaque effect, and of one whose kind this version does not have,
// nothing is known but where it was found.
package effects

import (
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Field is one field of an effect.
type Field uint8

// Fields, in the order of [syntax.EffectFields].
const (
	Kind Field = iota
	Source
	Path
	Deep
	ListsOnly
	Program
	Argv
	Verb
	Known
	Host
	IP
	Port
	Scheme
	Network
	Recipient
	Domain
	Header
	Amount
	Currency
	QueryStatement
	QueryVerb
	QueryReads
	QueryChanges
	QueryColumns
	QueryFunctions
	QueryBounded
	QueryLimit
)

// Named finds a field.
func Named(name string) (f Field, ok bool) {
	i := slices.Index(syntax.EffectFields(), name)
	return Field(max(i, 0)), i >= 0 //nolint:gosec // there are far fewer than 256 fields
}

// Kinds returns the kinds of effect that are understood; opaque is the one that
// is not.
func Kinds() []toolverdict.EffectKind {
	return []toolverdict.EffectKind{
		toolverdict.EffectRead, toolverdict.EffectWrite, toolverdict.EffectDelete, toolverdict.EffectExecute,
		toolverdict.EffectConnect, toolverdict.EffectSend, toolverdict.EffectSpend, toolverdict.EffectQuery,
	}
}

// Has reports whether effects of a kind have the field. Of an opaque effect that
// cannot be told, so it counts as having all of them.
func Has(k toolverdict.EffectKind, f Field) bool {
	switch k {
	case toolverdict.EffectRead:
		return f <= ListsOnly
	case toolverdict.EffectWrite, toolverdict.EffectDelete:
		return f <= Deep
	case toolverdict.EffectExecute:
		return f <= Source || f >= Program && f <= Known
	case toolverdict.EffectConnect:
		return f <= Source || f >= Host && f <= Network
	case toolverdict.EffectSend:
		return f <= Source || f >= Recipient && f <= Header
	case toolverdict.EffectSpend:
		return f <= Source || f == Amount || f == Currency
	case toolverdict.EffectQuery:
		return f <= Source || f >= QueryStatement
	case toolverdict.EffectOpaque:
	}
	return true
}

// Bit stands for a kind of effect; all that are not understood have one.
func Bit(k toolverdict.EffectKind) uint16 {
	switch k {
	case toolverdict.EffectRead:
		return 1
	case toolverdict.EffectWrite:
		return 1 << 1
	case toolverdict.EffectDelete:
		return 1 << 2
	case toolverdict.EffectExecute:
		return 1 << 3
	case toolverdict.EffectConnect:
		return 1 << 4
	case toolverdict.EffectSend:
		return 1 << 5
	case toolverdict.EffectSpend:
		return 1 << 6
	case toolverdict.EffectQuery:
		return 1 << 7
	case toolverdict.EffectOpaque:
	}
	return 1 << 8
}

// IsList reports whether the field holds several texts.
func (f Field) IsList() bool { return f == Argv || f >= QueryReads && f <= QueryFunctions }

// understood reports whether the kind is one of [Kinds].
func understood(k toolverdict.EffectKind) bool {
	switch k {
	case toolverdict.EffectRead, toolverdict.EffectWrite, toolverdict.EffectDelete, toolverdict.EffectExecute,
		toolverdict.EffectConnect, toolverdict.EffectSend, toolverdict.EffectSpend, toolverdict.EffectQuery:
		return true
	case toolverdict.EffectOpaque:
	}
	return false
}

// Read puts a field that the effect's kind has into v.
func (f Field) Read(e *toolverdict.Effect, v *predicate.Value) {
	*v = predicate.Value{}
	switch {
	case f == Source:
		v.SetHost(e.Source)
	case f == Kind && understood(e.Kind):
		v.SetText(string(e.Kind))
	case f == Kind:
		v.Kind, v.Text = predicate.Opaque, string(toolverdict.EffectOpaque)
	case !understood(e.Kind):
		v.Kind = predicate.Odd
	case f <= Deep:
		f.readPath(e, v)
	case f <= Network:
		f.readRun(e, v)
	case f <= Currency:
		f.readSend(e, v)
	default:
		f.readQuery(e.Query, v)
	}
}

// Show writes the field for a person; of no effect it is hidden.
func (f Field) Show(e *toolverdict.Effect, at time.Time) string {
	switch {
	case e == nil:
		return "hidden"
	case !Has(e.Kind, f):
		return "no such field"
	}
	var v predicate.Value
	if f.Read(e, &v); v.Kind == predicate.Absent || v.Kind == predicate.Odd {
		return "not known"
	}
	return v.Show(at)
}

func (f Field) readPath(e *toolverdict.Effect, v *predicate.Value) {
	switch {
	case f == Deep && (e.Deep || e.Path != ""):
		v.Kind, v.Truth = predicate.Boolean, e.Deep && !chooses(e.Pattern)
	case f == Path && e.Path != "" && strings.IndexByte(e.Path, 0) < 0:
		v.SetText(e.Path)
		if e.Deep || e.Folded {
			v.Kind = predicate.Path
		}
	}
}

// chooses reports whether a glob picks some names of a folder, and neither all of
// them nor what is below them.
func chooses(pattern string) bool {
	return pattern != "" && !strings.Contains(pattern, "**") && !strings.HasSuffix(pattern, "/*")
}

// readRun reads what executing, connecting and listing have.
func (f Field) readRun(e *toolverdict.Effect, v *predicate.Value) {
	switch f {
	case ListsOnly:
		v.Kind, v.Truth = predicate.Boolean, e.Names
	case Program:
		v.SetWord(e.Program)
	case Argv:
		if e.Argv != nil {
			v.Kind, v.Elem, v.List = predicate.Texts, predicate.Word, e.Argv
		}
	case Verb:
		v.SetWord(e.Verb)
	case Known:
		v.Kind, v.Truth = predicate.Boolean, e.Known
	case Host:
		v.SetWord(e.Host)
	case IP:
		v.SetWord(e.IP)
	case Port:
		if e.Port != 0 {
			v.Kind, v.N = predicate.Whole, int64(e.Port)
		}
	case Scheme:
		v.SetWord(e.Scheme)
	case Network:
		v.SetWord(e.Network)
	default:
	}
}

func (f Field) readSend(e *toolverdict.Effect, v *predicate.Value) {
	switch f {
	case Recipient:
		v.SetWord(e.Recipient)
	case Domain:
		v.SetWord(e.Domain)
	case Header:
		v.SetWord(e.Field)
	case Amount:
		if n, err := canon.ParseNumber(e.Amount); err == nil {
			v.SetJSON(n.Value())
		}
	case Currency:
		v.SetWord(e.Currency)
	default:
	}
}

func (f Field) readQuery(q *toolverdict.Query, v *predicate.Value) {
	if q == nil {
		return
	}
	names := func(list []string) { v.Kind, v.Elem, v.List = predicate.Texts, predicate.Name, list }
	switch f {
	case QueryStatement:
		if q.Statement > 0 {
			v.Kind, v.N = predicate.Whole, int64(q.Statement)
		}
	case QueryVerb:
		v.SetWord(q.Verb)
	case QueryReads:
		names(q.Reads)
	case QueryChanges:
		names(q.Changes)
	case QueryColumns:
		names(q.Columns)
	case QueryFunctions:
		names(q.Functions)
	case QueryBounded:
		v.Kind, v.Truth = predicate.Boolean, q.Bounded
	case QueryLimit:
		if q.Limit != 0 {
			v.Kind, v.N = predicate.Whole, q.Limit
		}
	default:
	}
}

// Yields returns the kinds of effect that an argument's role can lead to, beside
// opaque; all of them where the role is not known here.
func Yields(role toolverdict.Role) []toolverdict.EffectKind {
	switch role.Kind {
	case toolverdict.RolePath, toolverdict.RolePatch:
		return []toolverdict.EffectKind{toolverdict.EffectRead, toolverdict.EffectWrite, toolverdict.EffectDelete, toolverdict.EffectConnect}
	case toolverdict.RoleURL:
		return []toolverdict.EffectKind{toolverdict.EffectConnect, toolverdict.EffectRead}
	case toolverdict.RoleEmail:
		return []toolverdict.EffectKind{toolverdict.EffectSend}
	case toolverdict.RoleHeader:
		return nil
	case toolverdict.RoleMoney:
		return []toolverdict.EffectKind{toolverdict.EffectSpend}
	case toolverdict.RoleSQL:
		return slices.DeleteFunc(Kinds(), func(k toolverdict.EffectKind) bool {
			return k == toolverdict.EffectSend || k == toolverdict.EffectSpend
		})
	case toolverdict.RoleShell, toolverdict.RoleCode:
	}
	return Kinds() // and where the role is not known here
}
