// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package child

import (
	"bufio"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/toolverdict/toolverdict/internal/plain"
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
		if text := plain.Line(raw); text != "" {
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
