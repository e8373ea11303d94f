// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import (
	"fmt"
	"strings"

	"github.com/toolverdict/toolverdict/internal/near"
)

// Meant returns the known tools that somebody may have meant by a name.
func Meant(name string, known []string) []string { return near.Names(name, known) }

// Nearest returns the known word that an unknown one is most likely a slip of,
// or starts with, or "".
func Nearest(word string, known []string) string {
	if meant := near.Word(word, known); meant != "" {
		return meant
	}
	for _, k := range known {
		if len(k) > 2 && strings.HasPrefix(strings.ToLower(word), k) {
			return k
		}
	}
	return ""
}

// didYouMean makes a hint of the nearest word, or of all of them.
func didYouMean(word string, known []string) string {
	if word := Nearest(word, known); word != "" {
		return fmt.Sprintf("did you mean %q?", word)
	}
	return "use one of " + strings.Join(known, ", ")
}
