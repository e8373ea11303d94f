// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package canon reads JSON strictly, compares it exactly, writes it in one
// canonical form and edits it in place. Everything else stands on it: what is
// decided, approved, recorded and forwarded is the same value only because no
// two readers can read what Parse accepted in two ways. It knows JSON and
// nothing of tools, and imports the standard library alone. It fails closed:
// what is doubtful is refused, never repaired.
//
// # What Parse refuses
//
// Everything that is not RFC 8259 (comments, single quotes, trailing commas,
// NaN, leading zeros, a plus sign, a bare point, raw control characters, unknown
// escapes, anything after the value), a byte order mark, bytes that are not
// UTF-8, half a surrogate pair, too many bytes, too many levels. And of what RFC
// 8259 leaves open:
//
//   - two members of one object with the same name, at any depth, after
//     unescaping: readers keep the first, the last, or both;
//   - two members whose names are not equal but have the same [Fold]: readers
//     that ignore case or normalise take one for the other;
//   - negative zero;
//   - numbers that change when they are read as a float64. A number written
//     without fraction and exponent is exact up to [MaxDigits] digits. Any other
//     must be, digit for digit, what the shortest form of its float64 says: 0.1,
//     10.0 and 1e300 are, 1e400, 1e-400 and 0.10000000000000000001 are not. No
//     exponent lies beyond [MaxExponent].
//
// # Canonical form
//
// RFC 8785: members in the order of the UTF-16 code units of their names, no
// white space, strings escaped as little as JSON lets one, numbers as ECMAScript
// prints them. One thing differs, because RFC 8785 turns 9007199254740993 into
// another number: an integer whose ECMAScript form would not denote exactly that
// integer is written with all its digits. So 10, 10.0 and 1e1 are all written
// 10; 1e21 and 1000000000000000000000 are both written 1e+21; 2^53+1 is written
// 9007199254740993. Equal numbers have equal bytes, different numbers different
// bytes, and what RFC 8785 writes without loss is written as RFC 8785 says.
//
// # Fold
//
// The fold of a name is what is left after it is
//
//  1. cut at its first NUL (readers in C stop there);
//  2. decomposed by compatibility (Unicode's NFKD: full and half width, ligatures,
//     styled letters, composed accents, Hangul syllables);
//  3. freed from what is invisible: format characters (zero-width, bidirectional,
//     tags), variation selectors, fillers;
//  4. given its combining marks in one order, by code point, where Unicode orders
//     them by class, which calls a few more names the same;
//  5. freed from case: each character's capital, in lower case; ß as ss; i with a
//     dot above, or without its dot, as i.
//
// Names with equal NFC, NFD, NFKC or NFKD have equal folds, and so have normalised
// names with equal simple case folding (what strings.EqualFold compares).
// Names that merely look alike (Latin a and Cyrillic а) do not: no reader takes
// one for the other. Tables are those of the Unicode version in
// decomposition.txt and of the standard library.
package canon
