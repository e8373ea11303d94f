// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package predicate

import (
	"slices"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// KeyKind says what kind of value a predicate needs.
type KeyKind uint8

// Kinds of key.
const (
	KeyText   KeyKind = iota // one of some texts
	KeyPrefix                // a text that starts with one of some
	KeyLow                   // a number from a bound upwards
	KeyHigh                  // a number up to a bound
)

// Key is a value that a predicate needs: of a text or number that is not it,
// the predicate is false, whatever else is in it.
type Key struct {
	Kind  KeyKind
	Texts []string
	Bound canon.Number
}

// Keys returns the values that the predicate needs.
func (p *Predicate) Keys() []Key {
	var out []Key
	for i := range p.each {
		if k, ok := p.each[i].key(); ok {
			out = append(out, k)
		}
	}
	return out
}

func (o *op) key() (Key, bool) {
	k := Key{}
	switch {
	case o.negate:
		return k, false
	case o.code == opEqual && len(o.equal.texts) > 0 && o.equal.onlyTexts():
		k.Kind, k.Texts = KeyText, slices.Compact(slices.Sorted(slices.Values(o.equal.texts)))
	case o.code == opPrefix:
		k.Kind, k.Texts = KeyPrefix, slices.Compact(slices.Sorted(slices.Values(o.words)))
	case o.code == opOrder && !o.order.timed && o.order.hasLow:
		k.Kind, k.Bound = KeyLow, o.order.low
	case o.code == opOrder && !o.order.timed && o.order.hasHigh:
		k.Kind, k.Bound = KeyHigh, o.order.high
	default:
		return k, false
	}
	return k, true
}

func (l *literals) onlyTexts() bool {
	return len(l.numbers) == 0 && len(l.moments) == 0 && !l.yes && !l.no
}
