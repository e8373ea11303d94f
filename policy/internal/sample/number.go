// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// numbers returns every number that is compared with, and one between each two
// of them: whole where there is a whole one, and broken.
func numbers(compared []syntax.Literal) []canon.Number {
	bounds := make([]canon.Number, 0, len(compared))
	for _, l := range compared {
		bounds = append(bounds, l.Number)
	}
	if len(bounds) == 0 {
		return []canon.Number{canon.IntNumber(1)}
	}
	slices.SortFunc(bounds, canon.Number.Cmp)
	bounds = slices.CompactFunc(bounds, func(a, b canon.Number) bool { return a.Cmp(b) == 0 })
	var out []canon.Number
	for i, b := range bounds {
		if i == 0 {
			out = append(out, moved(b, -1, 1), moved(b, -1, 2))
		} else {
			out = append(out, between(bounds[i-1], b)...)
		}
		out = append(out, b)
	}
	last := bounds[len(bounds)-1]
	return append(out, moved(last, 1, 1), moved(last, 1, 2))
}

// rational reads a number exactly; one that is too large is not read.
func rational(n canon.Number) (*big.Rat, bool) {
	text := n.String()
	if _, exponent, ok := strings.Cut(text, "e"); ok && len(exponent) > 4 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// moved adds a fraction to a number.
func moved(n canon.Number, up, of int64) canon.Number {
	r, ok := rational(n)
	if !ok {
		return n
	}
	return decimal(r.Add(r, big.NewRat(up, of)), n)
}

func decimal(r *big.Rat, otherwise canon.Number) canon.Number {
	digits, exact := r.FloatPrec()
	if !exact || digits > 100 {
		return otherwise
	}
	n, err := canon.ParseNumber(r.FloatString(digits))
	if err != nil {
		return otherwise
	}
	return n
}

// between returns a number between two, and a whole one where there is one.
func between(a, b canon.Number) []canon.Number {
	x, ok := rational(a)
	y, also := rational(b)
	if !ok || !also {
		return nil
	}
	middle := new(big.Rat).Quo(new(big.Rat).Add(x, y), big.NewRat(2, 1))
	if middle.IsInt() { // a broken one beside it
		quarter := new(big.Rat).Quo(new(big.Rat).Sub(y, x), big.NewRat(4, 1))
		return []canon.Number{decimal(middle, a), decimal(new(big.Rat).Add(x, whole(quarter)), a)}
	}
	out := []canon.Number{decimal(middle, a)}
	up := new(big.Rat).SetInt(new(big.Int).Add(new(big.Int).Div(x.Num(), x.Denom()), big.NewInt(1)))
	if up.Cmp(y) < 0 {
		out = append(out, decimal(up, a))
	}
	return out
}

// whole makes a broken step of one that may be whole.
func whole(step *big.Rat) *big.Rat {
	if !step.IsInt() {
		return step
	}
	return new(big.Rat).SetFrac64(1, 2)
}

// momentTexts are the times around those that texts are compared with.
func momentTexts(compared []string) []string {
	if len(compared) == 0 {
		return nil
	}
	out := []string{"not a time"}
	for _, s := range compared {
		form := map[match.MomentKind]string{match.Instant: time.RFC3339, match.Date: time.DateOnly, match.Clock: "15:04:05"}[match.ParseMoment(s).Kind]
		at, err := time.Parse(form, s)
		step := time.Second
		if form == time.DateOnly {
			step = 24 * time.Hour
		}
		if err != nil && form == "15:04:05" {
			at, err = time.Parse("15:04", s)
		}
		out = append(out, s)
		if err == nil {
			out = append(out, at.Add(-step).Format(form), at.Add(step).Format(form))
		}
	}
	return out
}
