// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/json"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Content implements [toolverdict.Redactor]: it hides held secrets in a tool's
// answer. Bytes that hold none are returned as they are, every other string and
// number too. What is no JSON and may hold one comes back as one JSON string.
func (r *Redactor) Content(content json.RawMessage) json.RawMessage {
	if r.held.empty() || len(content) == 0 || r.clean(content) {
		return content
	}
	if !json.Valid(content) {
		return canon.Quote(r.held.hide(string(content)))
	}
	var out []byte // nil until something is replaced
	at := 0
	for i := 0; i < len(content); {
		end, with := r.literal(content, i)
		if with != nil {
			out = append(append(out, content[at:i]...), with...)
			at = end
		}
		i = end
	}
	if out == nil {
		return content
	}
	return append(out, content[at:]...)
}

// clean reports whether a quick look is enough to tell that nothing is held: no
// form of a secret anywhere, and no escapes that could hide one.
func (r *Redactor) clean(content []byte) bool {
	if bytes.IndexByte(content, '\\') >= 0 || bytes.IndexByte(content, '%') >= 0 {
		return false
	}
	_, _, _, found := r.held.find(string(content), 0)
	return !found
}

// literal looks at the string or number at i: where it ends, and what to put in
// its place, nil for nothing.
func (r *Redactor) literal(content []byte, i int) (end int, with []byte) {
	switch c := content[i]; {
	case c == '"':
		end, escaped := i+1, false
		for ; content[end] != '"'; end++ {
			if content[end] == '\\' {
				escaped = true
				end++
			}
		}
		return end + 1, r.stringLiteral(content[i:end+1], escaped)
	case c == '-' || c >= '0' && c <= '9':
		end = i + 1
		for end < len(content) && numeric(content[end]) {
			end++
		}
		if _, _, secret, found := r.held.find(string(content[i:end]), 0); found {
			with = canon.Quote(r.held.mark[secret])
		}
		return end, with
	}
	return i + 1, nil
}

func numeric(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}

func (r *Redactor) stringLiteral(literal []byte, escaped bool) []byte {
	text := string(literal[1 : len(literal)-1])
	if escaped {
		if err := json.Unmarshal(literal, &text); err != nil {
			return canon.Quote("[unreadable]")
		}
	}
	if hidden := r.held.hide(text); hidden != text {
		return canon.Quote(hidden)
	}
	return nil
}
