// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package syntax reads the policy language: text in, a small typed tree with
// positions out. It knows the grammar and nothing of tools, calls or verdicts'
// meaning.
//
// Reading is strict, because a rule that was silently dropped or misread is a
// hole: unknown and repeated keys, empty lists, aliases, tags and every value
// that two YAML readers could take differently are problems with a place and a
// hint. A file with a problem gives no tree.
package syntax

import (
	"time"

	"github.com/toolverdict/toolverdict/policy/internal/tree"
)

//nolint:revive // they are explained where they stand
type (
	Pos         = tree.Pos
	Problem     = tree.Problem
	Problems    = tree.Problems
	File        = tree.File
	Rule        = tree.Rule
	Pattern     = tree.Pattern
	PatternKind = tree.PatternKind
	Condition   = tree.Condition
	All         = tree.All
	Any         = tree.Any
	Not         = tree.Not
	Test        = tree.Test
	Effects     = tree.Effects
	CEL         = tree.CEL
	History     = tree.History
	Past        = tree.Past
	Field       = tree.Field
	Step        = tree.Step
	StepKind    = tree.StepKind
	Op          = tree.Op
	Literal     = tree.Literal
	LiteralKind = tree.LiteralKind
	Ask         = tree.Ask
	Limit       = tree.Limit
	Define      = tree.Define
	Example     = tree.Example
	Slip        = tree.Slip
)

// Kinds of pattern, step and literal.
const (
	ByName   = tree.ByName
	ByGroup  = tree.ByGroup
	BySafety = tree.BySafety
	ByRisk   = tree.ByRisk

	Member = tree.Member
	Index  = tree.Index
	Every  = tree.Every

	Text   = tree.Text
	Number = tree.Number
	Bool   = tree.Bool
)

// MostCounted is the largest number that a count can be compared with.
const MostCounted = tree.MostCounted

// Countable reports whether it can be compared with a literal.
func Countable(l Literal) bool { return tree.Countable(l) }

// Span writes a length of time as policies do: see [tree.Span].
func Span(d time.Duration) string { return tree.Span(d) }

// Title names a condition in a line: see [tree.Title].
func Title(c Condition) string { return tree.Title(c) }

// Place is where a condition stands, as far as it has one.
func Place(c Condition) Pos { return tree.Place(c) }

// Slips returns the slips in a rule: see [tree.Slips].
func Slips(r *Rule) []Slip { return tree.Slips(r) }

// AppendOps writes operators: see [tree.AppendOps].
func AppendOps(b []byte, ops []Op) []byte { return tree.AppendOps(b, ops) }

// AppendText writes a text: see [tree.AppendText].
func AppendText(b []byte, s string) []byte { return tree.AppendText(b, s) }

// Holds reports whether a condition is of a kind, or holds one that is.
func Holds(c Condition, kind func(Condition) bool) bool { return tree.Holds(c, kind) }

// IsHistory reports whether a condition looks back.
func IsHistory(c Condition) bool { return tree.IsHistory(c) }

// IsEffects reports whether a condition is about effects.
func IsEffects(c Condition) bool { return tree.IsEffects(c) }
