// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package nethttp

import "encoding/json"

// MarshalJSON implements [json.Marshaler].
func (b body) MarshalJSON() ([]byte, error) { return json.Marshal(b.form()) }

// UnmarshalJSON implements [json.Unmarshaler].
func (b *body) UnmarshalJSON(in []byte) error {
	var w wire
	if err := json.Unmarshal(in, &w); err != nil {
		return err
	}
	if *b = w.Bytes; w.Text != "" {
		*b = body(w.Text)
	}
	return nil
}
