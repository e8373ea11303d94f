// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

// Verdict is the answer to a proposed call. The zero value is Deny, so that a
// forgotten assignment can never let a call through.
type Verdict uint8

// Verdicts in order of strictness: a stricter one always wins.
const (
	Deny Verdict = iota
	Ask
	Allow
)

// Stricter returns the stricter of two verdicts: deny beats ask beats allow.
func Stricter(a, b Verdict) Verdict { return min(a, b) }

// String returns the word used on the wire and in records.
func (v Verdict) String() string {
	switch v {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	default:
		return "deny"
	}
}

// MarshalText implements [encoding.TextMarshaler].
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Any word that is not a
// verdict is refused: an invented word must never mean "run".
func (v *Verdict) UnmarshalText(text []byte) error {
	switch string(text) {
	case "allow":
		*v = Allow
	case "ask":
		*v = Ask
	case "deny":
		*v = Deny
	default:
		return errUnknownWord("verdict", "allow, ask, deny")
	}
	return nil
}
