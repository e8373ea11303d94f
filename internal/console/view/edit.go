// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Editable are the whole arguments of a card as JSON to be changed. What would not
// be seen is written as JSON writes it, so that what is left alone stays what it
// is.
func Editable(c tv.Card) string {
	raw := c.Whole
	if len(raw) == 0 {
		raw = c.Arguments
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return Typed(string(raw))
	}
	return Typed(b.String())
}

// Typed makes JSON visible without changing what it says.
func Typed(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		if s := string(r); r == '\r' || plain.Reveal(s) == s {
			b.WriteString(s)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
