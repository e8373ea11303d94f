// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package child

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Bounds of what is kept of a child's standard error.
const (
	maxWords  = 2000 // bytes of one line
	keptWords = 10   // lines
)

// stderr is what a child says on the side.
type stderr struct {
	done chan struct{} // closed when it says no more

	mu    sync.Mutex
	file  *os.File
	lines []string
}

// read tells what is written to the pipe until it ends. It never stops taking:
// a child must not hang because it complains.
func (s *stderr) read(from *os.File, tell func(string)) {
	defer close(s.done)
	s.mu.Lock()
	s.file = from
	s.mu.Unlock()
	defer from.Close()
	in := bufio.NewReaderSize(from, 4096)
	for {
		raw, err := cutLine(in)
		if text := Clean(raw); text != "" {
			s.keep(text)
			if tell != nil {
				tell(text)
			}
		}
		if err != nil {
			return
		}
	}
}

// cutLine reads one line and keeps its beginning.
func cutLine(in *bufio.Reader) (string, error) {
	var text []byte
	for {
		part, more, err := in.ReadLine()
		if room := maxWords - len(text); room > 0 {
			text = append(text, part[:min(len(part), room)]...)
		}
		if err != nil || !more {
			return string(text), err
		}
	}
}

func (s *stderr) keep(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, text)
	if len(s.lines) > keptWords {
		s.lines = s.lines[len(s.lines)-keptWords:]
	}
}

func (s *stderr) last() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines)
}

// expire stops listening after a while: somebody else may hold the pipe open.
func (s *stderr) expire(after time.Duration) {
	time.AfterFunc(after, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.file != nil {
			s.file.Close()
		}
	})
}

// Clean makes text that a stranger wrote fit for a terminal and a log: no
// control characters, no terminal escapes, nothing invisible or that turns the
// direction of what follows.
func Clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(stripEscapes(s), "\uFFFD"))
	return strings.TrimSpace(s)
}

// stripEscapes takes out the sequences that terminals obey, whole: without
// their first byte alone, the rest would stand there as text.
func stripEscapes(s string) string {
	const esc = "\x1b"
	head, rest, found := strings.Cut(s, esc)
	if !found {
		return s
	}
	var out strings.Builder
	out.WriteString(head)
	for found {
		rest = afterEscape(rest)
		head, rest, found = strings.Cut(rest, esc)
		out.WriteString(head)
	}
	return out.String()
}

// afterEscape returns what follows the sequence that an escape began.
func afterEscape(s string) string {
	if s == "" {
		return s
	}
	switch s[0] {
	case '[': // parameters, then one letter
		end := strings.IndexFunc(s[1:], func(r rune) bool { return r < 0x20 || r > 0x3f })
		if end < 0 {
			return ""
		}
		return s[1+end+1:]
	case ']', 'P', '^', '_', 'X': // text up to BEL or the string terminator
		if end := strings.IndexAny(s, "\a\x1b"); end >= 0 {
			return s[end:]
		}
		return ""
	}
	return s[1:]
}
