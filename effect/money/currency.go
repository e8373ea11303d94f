// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package money

import "strings"

// codes are the currencies of ISO 4217 that something can be paid in. Each is
// followed by the number of digits of its smallest unit.
const codes = "AED2AFN2ALL2AMD2ANG2AOA2ARS2AUD2AWG2AZN2BAM2BBD2BDT2BGN2BHD3BIF0BMD2BND2BOB2BOV2BRL2BSD2BTN2BWP2BYN2BZD2" +
	"CAD2CDF2CHE2CHF2CHW2CLF4CLP0CNY2COP2COU2CRC2CUP2CVE2CZK2DJF0DKK2DOP2DZD2EGP2ERN2ETB2EUR2FJD2FKP2GBP2GEL2GHS2GIP2" +
	"GMD2GNF0GTQ2GYD2HKD2HNL2HTG2HUF2IDR2ILS2INR2IQD3IRR2ISK0JMD2JOD3JPY0KES2KGS2KHR2KMF0KPW2KRW0KWD3KYD2KZT2LAK2LBP2" +
	"LKR2LRD2LSL2LYD3MAD2MDL2MGA2MKD2MMK2MNT2MOP2MRU2MUR2MVR2MWK2MXN2MXV2MYR2MZN2NAD2NGN2NIO2NOK2NPR2NZD2OMR3PAB2PEN2" +
	"PGK2PHP2PKR2PLN2PYG0QAR2RON2RSD2RUB2RWF0SAR2SBD2SCR2SDG2SEK2SGD2SHP2SLE2SOS2SRD2SSP2STN2SVC2SYP2SZL2THB2TJS2TMT2" +
	"TND3TOP2TRY2TTD2TWD2TZS2UAH2UGX0USD2USN2UYI0UYU2UYW4UZS2VED2VES2VND0VUV0WST2XAF0XCD2XCG2XOF0XPF0YER2ZAR2ZMW2ZWG2"

func find(code string) int {
	if len(code) != 3 {
		return -1
	}
	for i := 0; i < len(codes); i += 4 {
		if codes[i:i+3] == code {
			return i
		}
	}
	return -1
}

// known reports whether the code, in capitals, is that of a currency.
func known(code string) bool { return find(code) >= 0 }

// minorDigits returns how many digits the smallest unit of a currency has. ok is
// false where the currency is not known, or where payment services and ISO 4217
// disagree.
func minorDigits(code string) (n int, ok bool) {
	i := find(code)
	if i < 0 {
		return 0, false
	}
	switch code {
	case "ISK", "UGX", "HUF", "TWD", "MGA", "MRU", "IDR", "CLP", "COP":
		return int(codes[i+3] - '0'), false
	}
	return int(codes[i+3] - '0'), true
}

// cutCode takes the code before or behind a number off.
func cutCode(s string) (number, code string) {
	head := 0
	for head < len(s) && letter(s[head]) {
		head++
	}
	tail := len(s)
	for tail > head && letter(s[tail-1]) {
		tail--
	}
	before, behind := strings.ToUpper(s[:head]), strings.ToUpper(s[tail:])
	switch {
	case known(before) && behind == "":
		return strings.TrimLeft(s[head:], " "), before
	case known(behind) && before == "":
		return strings.TrimRight(s[:tail], " "), behind
	}
	// A sign before the code: -USD 5.
	if len(s) > 4 && s[0] == '-' && known(strings.ToUpper(s[1:4])) && !letter(s[4]) && s[4] != '-' {
		return "-" + strings.TrimLeft(s[4:], " "), strings.ToUpper(s[1:4])
	}
	return s, ""
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
