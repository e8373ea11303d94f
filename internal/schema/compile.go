// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// What one schema may cost. Real tools stay far below: the largest of some 400
// surveyed has a few hundred subschemas and a few dozen KiB.
const (
	MaxBytes      = 256 << 10
	MaxDepth      = 64
	MaxSubschemas = 3_000 // objects and booleans anywhere in the document
	MaxRefs       = 500
	maxOddRefs    = 100   // to places that are no schemas by themselves, which the library reads at a cost
	MaxPattern    = 2_000 // bytes of one regular expression
	maxProgram    = 4_000 // instructions of one compiled regular expression
	maxPrograms   = 40_000
)

// Options changes how a schema is read.
type Options struct {
	// Strict is for schemas that an operator wrote: keywords that JSON Schema
	// does not have are refused as slips, except those that begin with "x-", and
	// "format" is a rule instead of a note. Formats that are not known are
	// refused.
	Strict bool
}

// Schema is a compiled, frozen schema. It is safe for concurrent use.
type Schema struct {
	root  *node
	names nameIndex
}

var _ toolverdict.Schema = (*Schema)(nil)

// Compile reads a JSON Schema. It keeps nothing of raw. Where the schema names
// no dialect, 2020-12 is meant.
func Compile(raw []byte, o Options) (s *Schema, err error) {
	defer func() {
		// The library meets hostile documents here: what breaks it is refused.
		if v := recover(); v != nil {
			s, err = nil, errors.New("compile schema: the schema cannot be read")
		}
	}()
	doc, err := canon.Parse(raw, canon.Limits{MaxBytes: MaxBytes, MaxDepth: MaxDepth, AllowFoldedSiblings: true})
	if err != nil {
		return nil, fmt.Errorf("compile schema: %v", err)
	}
	if k := doc.Kind(); k != canon.KindObject && k != canon.KindBool {
		return nil, errors.New("compile schema: a schema is a JSON object, or true or false")
	}
	facts, err := survey(doc)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	if o.Strict {
		if err := checkKeywords(doc); err != nil {
			return nil, fmt.Errorf("compile schema: %w", err)
		}
	}
	read, err := readSchema(doc, o)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %s", plain(err))
	}
	b := builder{facts: facts, options: o, done: map[*jsonschema.Schema]*node{}}
	root, err := b.build(read)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	if err := b.finish(); err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	return &Schema{root: root, names: indexNames(b.nodes)}, nil
}

// base is where the document is said to live, so that relative references have
// something to be relative to. Nothing is ever read from there.
const base = "toolverdict:///schema.json"

// readSchema has the library read and check the document.
func readSchema(doc canon.Value, o Options) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(offline{})
	budget := maxPrograms
	c.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) {
		p, err := compilePattern(s)
		if err != nil {
			return nil, err
		}
		if budget -= p.cost; budget < 0 {
			return nil, errors.New("the regular expressions of the schema are too large together")
		}
		return p, nil
	})
	if o.Strict {
		c.AssertFormat()
	}
	if err := c.AddResource(base, doc.Go()); err != nil {
		return nil, err
	}
	return c.Compile(base)
}

// offline loads nothing.
type offline struct{}

var errOffline = errors.New("offline")

func (offline) Load(string) (any, error) { return nil, errOffline }

// maxReason bounds what is kept of the library's words, in bytes: they quote
// the schema.
const maxReason = 400

// plain says in one printable line what the library found. It nests its
// findings; only the innermost tell something.
func plain(err error) string {
	if load, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return fmt.Sprintf("it refers to %.100q, which is outside of it, and nothing is fetched: put the definition under $defs, or name a known $schema", load.URL)
	}
	s := strings.ReplaceAll(err.Error(), base, "")
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, s)), " ")
	var findings []string
	for f := range strings.SplitSeq(s, " - at ") {
		if !strings.HasSuffix(f, "failed") && !strings.Contains(f, "is not valid against metaschema") {
			findings = append(findings, f)
		}
	}
	s = strings.Join(findings, "; at ")
	if strings.HasPrefix(s, "'") {
		s = "at " + s
	}
	if s = longQuote().ReplaceAllString(s, "'…'"); len(s) > maxReason {
		s = s[:maxReason] + "…"
	}
	return strings.TrimPrefix(s, "jsonschema: ")
}

// longQuote finds what the library repeats of the schema at length.
func longQuote() *regexp.Regexp { return regexp.MustCompile(`'[^']{120,}'`) }

// facts are counted in the document before the library sees it.
type facts struct {
	dynamicAnchors map[string]int
	recursive      int
}

// survey bounds the document and counts what makes references dynamic. It looks
// at every member, also at those that are only data (enum, default): counting
// too much can only refuse.
func survey(doc canon.Value) (facts, error) {
	f := facts{dynamicAnchors: map[string]int{}}
	subschemas, refs, odd := 0, 0, 0
	var walk func(v canon.Value)
	walk = func(v canon.Value) {
		switch v.Kind() {
		case canon.KindObject:
			subschemas++
			for name, m := range v.Fields() {
				switch {
				case strings.HasSuffix(name, "ef") && strings.HasPrefix(name, "$"):
					refs++
					if !usualTarget(m.Text()) {
						odd++
					}
				case name == "$dynamicAnchor" && m.Kind() == canon.KindString:
					f.dynamicAnchors[m.Text()]++
				case name == "$recursiveAnchor" && m.Bool():
					f.recursive++
				}
				walk(m)
			}
		case canon.KindArray:
			for _, e := range v.Items() {
				walk(e)
			}
		case canon.KindBool:
			subschemas++
		default:
		}
	}
	walk(doc)
	switch {
	case subschemas > MaxSubschemas:
		return f, fmt.Errorf("it has more than %d parts: split the tool, or simplify its schema", MaxSubschemas)
	case refs > MaxRefs || odd > maxOddRefs:
		return f, fmt.Errorf("it has more than %d references: simplify it", MaxRefs)
	}
	return f, nil
}

// usualTarget reports whether a reference goes where schemas are kept.
func usualTarget(ref string) bool {
	for _, prefix := range []string{"#/$defs/", "#/definitions/", "#/properties/"} {
		if strings.HasPrefix(ref, prefix) {
			return true
		}
	}
	return ref == "#"
}
