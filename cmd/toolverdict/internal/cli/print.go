// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
)

// Plain makes text of strangers fit for a terminal: what could move the cursor,
// colour the screen or hide itself becomes visible. Line breaks and tabs stay.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Line is [Plain] on one line.
func Line(s string) string {
	return strings.Join(strings.Fields(Plain(s)), " ")
}

// JSON prints a value as indented JSON, without escaping for web pages.
func JSON(to io.Writer, v any) error {
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Content prints what a tool answered: its text, or else its JSON.
func Content(to io.Writer, content json.RawMessage) error {
	var mcp struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	}
	if json.Unmarshal(content, &mcp) == nil && len(mcp.Content) > 0 {
		for _, part := range mcp.Content {
			text := part.Text
			if part.Type != "text" {
				text = "[" + part.Type + ": use --output json to see it]"
			}
			if _, err := fmt.Fprintln(to, strings.TrimRight(Plain(text), "\n")); err != nil {
				return err
			}
		}
		return nil
	}
	if len(content) == 0 {
		return nil
	}
	var b bytes.Buffer
	if json.Indent(&b, content, "", "  ") != nil {
		b.Reset()
		b.Write(content)
	}
	_, err := fmt.Fprintln(to, Plain(b.String()))
	return err
}

// Count counts things in words.
func Count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Table prints rows in columns.
func Table(to io.Writer, rows [][]string) error {
	w := tabwriter.NewWriter(to, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = Line(c)
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "\t"), "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}
