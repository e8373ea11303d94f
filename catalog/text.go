// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import "github.com/toolverdict/toolverdict/internal/plain"

// Plain returns what a server wrote as it may be shown to people, and to models:
// without terminal escapes, control characters (line breaks and tabs stay),
// bidirectional and zero-width characters, and bytes that are not UTF-8.
func Plain(s string) string { return plain.Text(s) }

// Reveal returns what a server wrote for a close look, such as a diff: what
// [Plain] would drop is written out as \u{202E}.
func Reveal(s string) string { return plain.Reveal(s) }
