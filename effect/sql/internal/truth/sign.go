// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package truth

// Sign is the operation of a sign between two values that means the same in
// every dialect; other signs are the dialects' own.
func Sign(sign string) (Op, bool) {
	switch sign {
	case "=":
		return Equal, true
	case "<>":
		return Differ, true
	case "<":
		return Less, true
	case "<=":
		return AtMost, true
	case ">":
		return More, true
	case ">=":
		return AtLeast, true
	case "+":
		return Add, true
	case "-":
		return Subtract, true
	case "*":
		return Multiply, true
	case "/":
		return Divide, true
	case "%":
		return Modulo, true
	case "||":
		return Concat, true
	default:
		return 0, false
	}
}
