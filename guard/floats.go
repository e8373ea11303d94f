// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// FitFloats says why arguments that were decided must not be given to a function
// that gets its numbers as float64: one of them would be another number there, as
// 9007199254740993 is. It is nil where every number stays what it is, read from
// the float as well as written from it again. The error wraps [ErrNotRun].
func FitFloats(arguments []byte) error {
	v, err := canon.ParseArguments(arguments, widest())
	if err != nil {
		return fmt.Errorf("%w: its arguments cannot be read", ErrNotRun)
	}
	if !fits(v) {
		return fmt.Errorf("%w: a number in its arguments has more digits than it can take. Where the tool takes text, send the number as text", ErrNotRun)
	}
	return nil
}

func fits(v canon.Value) bool {
	switch v.Kind() {
	case canon.KindNumber:
		return isFloat(v.Number())
	case canon.KindArray:
		for _, e := range v.Items() {
			if !fits(e) {
				return false
			}
		}
	case canon.KindObject:
		for _, e := range v.Fields() {
			if !fits(e) {
				return false
			}
		}
	default: // no number is in it
	}
	return true
}

// isFloat reports whether a number survives both ways out of a float64: printed,
// which is shortened, and as an integer, which is not. 1234567890123456800 is
// printed as itself, and is 1234567890123456768 as an integer.
func isFloat(n canon.Number) bool {
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil {
		return false
	}
	printed, ok := canon.ParseDecimal(strconv.FormatFloat(f, 'e', -1, 64))
	if !ok || printed.Cmp(n) != 0 {
		return false
	}
	if !n.IsInteger() {
		return true
	}
	integer, ok := canon.ParseDecimal(big.NewFloat(f).Text('f', 0))
	return ok && integer.Cmp(n) == 0
}
