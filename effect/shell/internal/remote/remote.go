// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package remote knows how the arguments of programs name places on other
// machines, and which of those machines is this one. It knows nothing of the
// programs.
//
// It fails towards harm: what programs read in more ways than one is a word
// that is not known.
package remote

import (
	"net/url"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell/internal/found"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// Split splits host:path. Open means that it could be either.
func Split(w word.Word) (host word.Word, away, open bool) {
	head := w.Prefix()
	if _, rest, ok := strings.Cut(head, "://"); ok {
		name, _, _ := strings.Cut(rest, "/")
		return word.Lit(name), true, false
	}
	name, _, colon := strings.Cut(head, ":")
	switch {
	case strings.Contains(name, "/"):
		return word.Word{}, false, false
	case colon:
		return word.Lit(name), true, false
	case len(head) < len(w.Text) && w.Open():
		return word.Unknown(), false, true
	}
	return word.Word{}, false, false
}

// IsHere reports whether a host is the one that the command runs on, so
// that what is done there is done here.
func IsHere(host word.Word) bool {
	var e toolverdict.Effect
	text, ok := host.Static()
	found.SetHost(&e, text)
	return ok && e.Network == "loopback"
}

// FileURL returns the file that a URL of a file names; what programs read in
// more ways than one is a word that is not known.
func FileURL(text string) (file word.Word, is bool) {
	const scheme = "file:"
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return word.Word{}, false
	}
	rest := text[len(scheme):]
	if host, ok := strings.CutPrefix(rest, "//"); ok {
		path := strings.IndexByte(host, '/')
		if path < 0 || path > 0 && !IsHere(word.Lit(host[:path])) {
			return word.Unknown(), true
		}
		rest = host[path:]
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	name, err := url.PathUnescape(rest)
	if err != nil || !strings.HasPrefix(name, "/") || strings.ContainsAny(name, "{}[]\\\x00") {
		return word.Unknown(), true
	}
	return word.Lit(name), true
}
