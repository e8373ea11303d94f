// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// decimal is digits × 10^exponent, for arithmetic.
type decimal struct {
	digits   *big.Int
	exponent int
}

// decimalOf reads the canonical form of a number. Numbers are bounded in digits
// and exponent, so this is, too.
func decimalOf(n canon.Number) decimal {
	mantissa, e, _ := strings.Cut(n.String(), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent, _ := strconv.Atoi(e) // none: 0
	digits, _ := new(big.Int).SetString(whole+fraction, 10)
	return decimal{digits, exponent - len(fraction)}
}

// number returns the value; it is unknown where no call could hold it.
func (d decimal) number() value {
	if d.digits.Sign() == 0 {
		return value{kind: number}
	}
	s := d.digits.String()
	trimmed := strings.TrimRight(s, "0")
	d.exponent += len(s) - len(trimmed)
	n, err := canon.ParseNumber(trimmed + "e" + strconv.Itoa(d.exponent))
	if err != nil {
		return value{}
	}
	return value{kind: number, number: n}
}

func add(a, b canon.Number, sign int64) value {
	x, y := decimalOf(a), decimalOf(b)
	low := min(x.exponent, y.exponent)
	x.shift(low)
	y.shift(low)
	y.digits.Mul(y.digits, big.NewInt(sign))
	return decimal{x.digits.Add(x.digits, y.digits), low}.number()
}

// shift writes the number with a lower exponent.
func (d *decimal) shift(exponent int) {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.exponent-exponent)), nil)
	d.digits.Mul(d.digits, scale)
	d.exponent = exponent
}

func multiply(a, b canon.Number) value {
	x, y := decimalOf(a), decimalOf(b)
	return decimal{x.digits.Mul(x.digits, y.digits), x.exponent + y.exponent}.number()
}

// remainder is that of whole numbers, with the sign of the first, as CEL has it.
func remainder(a, b canon.Number) value {
	x, okX := a.Int64()
	y, okY := b.Int64()
	if !okX || !okY || y == 0 {
		return value{}
	}
	if y == -1 {
		return value{kind: number} // what the lowest number would overflow at
	}
	return value{kind: number, number: canon.IntNumber(x % y)}
}
