// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Currency is the one currency of the shop.
const Currency = "EUR"

// Amount is money in cents. It is never a float: 0.10 has no exact binary form.
type Amount int64

// amountForm leaves exactly one spelling to argue about per precision: no sign,
// no leading zero, no exponent, no thousands separator, and none or two decimals.
var amountForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,6})(\.[0-9]{2})?$`)

// ParseAmount reads a positive decimal such as "250" or "250.00". It refuses
// everything else, zero included, with [InvalidAmount].
func ParseAmount(s string) (Amount, error) {
	bad := refuse(InvalidAmount, "the amount is not a positive decimal",
		`write it as a string with none or two decimals, for example "250.00"`)
	if !amountForm.MatchString(s) {
		return 0, bad
	}
	whole, cents, _ := strings.Cut(s, ".")
	if cents == "" {
		cents = "00"
	}
	n, err := strconv.ParseInt(whole+cents, 10, 64)
	if err != nil || n == 0 {
		return 0, bad
	}
	return Amount(n), nil
}

// String gives the amount with two decimals: "250.00".
func (a Amount) String() string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	return fmt.Sprintf("%s%d.%02d", sign, a/100, a%100)
}

// MarshalJSON writes the amount as a decimal string.
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.String()) }
