// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"errors"
	"fmt"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema/internal/pattern"
	"github.com/toolverdict/toolverdict/internal/schema/internal/read"
)

// What one schema may cost. Real tools stay far below: the largest of some 400
// surveyed has a few hundred subschemas and a few dozen KiB.
const (
	MaxBytes      = 256 << 10
	MaxDepth      = 64
	MaxSubschemas = read.MaxParts
	MaxRefs       = read.MaxRefs
	MaxPattern    = pattern.MaxBytes
	maxPrograms   = 20_000 // instructions of all regular expressions
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
func Compile(raw []byte, o Options) (*Schema, error) {
	s, err := compile(raw, o)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %v", err)
	}
	return s, nil
}

func compile(raw []byte, o Options) (*Schema, error) {
	doc, err := canon.Parse(raw, canon.Limits{MaxBytes: MaxBytes, MaxDepth: MaxDepth, AllowFoldedSiblings: true})
	if err != nil {
		return nil, err
	}
	if k := doc.Kind(); k != canon.KindObject && k != canon.KindBool {
		return nil, errors.New("a schema is a JSON object, or true or false")
	}
	if o.Strict {
		if err := checkKeywords(doc); err != nil {
			return nil, err
		}
	}
	patterns := pattern.NewSet(maxPrograms)
	document, err := read.Read(doc, patterns)
	if err != nil {
		return nil, err
	}
	b := builder{doc: document, patterns: patterns, strict: o.Strict, done: map[canon.Value]*node{}}
	root := b.node(doc)
	if err := b.finish(); err != nil {
		return nil, err
	}
	return &Schema{root: root, names: indexNames(b.nodes)}, nil
}
