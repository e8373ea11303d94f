// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package money says what a tool would spend: exact decimals, never floats, with
// a currency where one is known.
//
// It reads numbers, text with or without an ISO 4217 code, and the objects that
// payment services use. What programs read differently (a lone comma, leading
// zeros, an exponent in text, a negative amount) yields the amounts it may be
// and an opaque effect besides, so that no rule allows it. Currency signs are
// refused: the dollar sign alone stands for twenty currencies.
package money
