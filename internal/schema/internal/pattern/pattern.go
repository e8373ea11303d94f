// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package pattern compiles the regular expressions of JSON Schemas for RE2,
// within bounds, and fails where RE2 cannot follow ECMAScript.
package pattern

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Bounds of one regular expression.
const (
	MaxBytes   = 2_000
	maxProgram = 4_000 // instructions
)

// Pattern is a regular expression of bounded size. RE2 needs time in proportion
// to the text, so a hostile one cannot hang the gate.
type Pattern struct {
	Source string // as the schema has it
	Cost   int    // instructions
	re     *regexp.Regexp
}

// MatchString reports whether s holds a match anywhere, as JSON Schema wants.
func (p *Pattern) MatchString(s string) bool { return p.re.MatchString(s) }

// Set compiles the patterns of one schema, each once, and bounds what they cost
// together.
type Set struct {
	left  int
	known map[string]*Pattern
}

// NewSet returns a set of patterns that may have so many instructions together.
func NewSet(instructions int) *Set {
	return &Set{left: instructions, known: map[string]*Pattern{}}
}

// Compile compiles a pattern, or returns it where it has been compiled.
func (s *Set) Compile(source string) (*Pattern, error) {
	if p, ok := s.known[source]; ok {
		return p, nil
	}
	p, err := Compile(source)
	if err != nil {
		return nil, err
	}
	if s.left -= p.Cost; s.left < 0 {
		return nil, errors.New("the regular expressions of the schema are too large together")
	}
	s.known[source] = p
	return p, nil
}

// Compile compiles one pattern.
func Compile(source string) (*Pattern, error) {
	if len(source) > MaxBytes {
		return nil, fmt.Errorf("the regular expression is longer than %d bytes", MaxBytes)
	}
	translated, err := translate(source)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(translated, syntax.Perl)
	if err != nil {
		return nil, unsupported(err)
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, unsupported(err)
	}
	if len(prog.Inst) > maxProgram {
		return nil, errors.New("the regular expression is too large once its repetitions are written out")
	}
	re, err := regexp.Compile(translated)
	if err != nil {
		return nil, unsupported(err)
	}
	return &Pattern{Source: source, re: re, Cost: len(prog.Inst)}, nil
}

// unsupported says what RE2 lacks, and nothing of the pattern.
func unsupported(err error) error {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return fmt.Errorf("%s (look-around and back-references are not supported)", e.Code)
	}
	return errors.New("not a regular expression that can be checked in bounded time")
}
