// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package near

import (
	"slices"
	"strings"
)

// Names returns up to three known tools, each a "server/own", that somebody may
// have meant by a name: a slip of it, with or without the server, or one that has
// the word in its own name or is of a server called so. What a server offers
// besides tools, such as server/@prompts/get, was hardly meant.
func Names(name string, known []string) []string {
	const most = 3
	known = slices.DeleteFunc(slices.Clone(known), func(k string) bool { return strings.Contains(k, "/@") })
	var out []string
	add := func(found string) {
		if found != "" && len(out) < most && !slices.Contains(out, found) {
			out = append(out, found)
		}
	}
	add(Word(name, known))
	_, word, _ := strings.Cut(name, "/")
	if word == "" {
		word = strings.TrimSuffix(name, "/")
	}
	own := make([]string, len(known))
	for i, k := range known {
		_, own[i], _ = strings.Cut(k, "/")
	}
	if slip := Word(word, own); slip != "" {
		for i, k := range known {
			if own[i] == slip {
				add(k)
			}
		}
	}
	if len(out) > 0 || len(word) < 3 || len(word) > maxWord {
		return out
	}
	word = strings.ToLower(word)
	for i, k := range known {
		if server, _, _ := strings.Cut(k, "/"); strings.ToLower(server) == word || strings.Contains(strings.ToLower(own[i]), word) {
			add(k)
		}
	}
	return out
}
