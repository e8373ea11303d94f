// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
)

// MarshalJSON returns the canonical form of v. An absent value has none: mark
// fields that may be absent omitzero. Note that encoding/json then escapes <, >
// and & unless told not to, so only the meaning of v survives it, not its bytes.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.IsZero() {
		return nil, errors.New("marshal an absent JSON value: mark the field omitzero")
	}
	return Append(nil, v), nil
}

// UnmarshalJSON reads b as [Parse] does under default limits.
func (v *Value) UnmarshalJSON(b []byte) error {
	parsed, err := Parse(b, Limits{})
	if err != nil {
		return err
	}
	*v = parsed
	return nil
}

// MarshalJSON returns the canonical form of n.
func (n Number) MarshalJSON() ([]byte, error) { return n.append(nil), nil }

// UnmarshalJSON reads b as [ParseNumber] does. A string is no number.
func (n *Number) UnmarshalJSON(b []byte) error {
	parsed, err := ParseNumber(string(b))
	if err != nil {
		return err
	}
	*n = parsed
	return nil
}

// String describes v by kind and size. It never shows the value: arguments hold
// secrets, and values end up in messages by accident. RawText is the text.
func (v Value) String() string {
	n := strconv.Itoa(v.Len())
	switch v.Kind() {
	case KindString:
		return "string of " + n + " bytes"
	case KindArray:
		return "array of " + n + " elements"
	case KindObject:
		return "object of " + n + " members"
	}
	return v.Kind().String()
}

// Format writes String whatever the verb, so that %#v and %x show no more.
func (v Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, v.String()) }

// LogValue keeps handlers that write JSON from marshalling the value.
func (v Value) LogValue() slog.Value { return slog.StringValue(v.String()) }
