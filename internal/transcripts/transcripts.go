// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Answer is what came of a call, as the transcript tells it.
type Answer string

// Answers.
const (
	None    Answer = "none"    // nothing did, or the agent itself did not run it
	Refused Answer = "refused" // a denial of the gate
	Failed  Answer = "failed"  // the tool, or the agent, reported an error
	Ran     Answer = "ran"
)

// Call is one call of a tool.
type Call struct {
	Agent     hookgate.Agent
	Session   string
	ID        string
	Tool      string // as the agent names it
	At        time.Time
	Arguments []byte // one JSON object as it stands there, or nil
	Answer    Answer
	Unasked   string // why the agent's hook is never asked about it; "" where it is
	Renamed   bool   // the hook knows the session by another name
}

// File is a transcript.
type File struct {
	Agent    hookgate.Agent
	Path     string
	Modified time.Time
}

// Session is what was read of a transcript.
type Session struct {
	Calls []Call
	Odd   int // parts that could not be read, and were passed over
}

// Bounds of what is read. What is larger is no transcript of a person's work.
const (
	maxLine  = 16 << 20 // bytes
	maxWhole = 64 << 20
	maxCalls = 200_000 // of one file
	maxDepth = 200
)

// ErrTooLarge says that a transcript was not read to its end.
var ErrTooLarge = errors.New("the transcript is larger than is read")

// format is how one agent keeps its sessions: as lines or as one document.
type format struct {
	words []string // one of which stands in every part that matters
	line  func(b *book, v canon.Value)
	whole func(b *book, v canon.Value)
}

func formats() map[hookgate.Agent]format {
	return map[hookgate.Agent]format{
		hookgate.ClaudeCode: {words: []string{"tool_use", "tool_result", "attachment"}, line: claudeLine},
		hookgate.Codex:      {words: []string{"session_meta", "_call", "item_completed"}, line: codexLine},
		hookgate.Gemini:     {words: []string{"sessionId", "toolCalls"}, line: geminiLine, whole: geminiWhole},
		hookgate.Qwen:       {words: []string{"functionCall", "toolCallResult"}, line: qwenLine},
		hookgate.Copilot:    {words: []string{"session.start", "tool.execution"}, line: copilotLine},
		hookgate.Cline:      {whole: clineWhole},
	}
}

// Read reads the calls of a transcript.
func Read(ctx context.Context, f File) (Session, error) {
	if f.Agent == hookgate.OpenCode {
		return readOpenCode(ctx, f.Path)
	}
	in, err := os.Open(f.Path)
	if err != nil {
		return Session{}, fmt.Errorf("read transcript: %w", err)
	}
	defer in.Close()
	return ReadFrom(f.Agent, strings.HasSuffix(f.Path, ".json"), in)
}

// ReadFrom reads one that is open; whole says that it is one document and not lines.
func ReadFrom(a hookgate.Agent, whole bool, in io.Reader) (Session, error) {
	form, known := formats()[a]
	if !known || whole && form.whole == nil || !whole && form.line == nil {
		return Session{}, fmt.Errorf("read transcript: no form of %s is known that this could be", a)
	}
	b := &book{agent: a, byID: map[string]int{}}
	if whole {
		return b.document(in, form)
	}
	return b.lines(in, form)
}

// book collects the calls of one transcript.
type book struct {
	agent   hookgate.Agent
	session string
	calls   []Call
	byID    map[string]int
	odd     int
	full    bool
}

func (b *book) done() (Session, error) {
	s := Session{Calls: b.calls, Odd: b.odd}
	if b.full {
		return s, ErrTooLarge
	}
	return s, nil
}

func (b *book) document(in io.Reader, form format) (Session, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxWhole+1))
	switch {
	case err != nil:
		return Session{}, fmt.Errorf("read transcript: %w", err)
	case len(text) > maxWhole:
		return Session{}, ErrTooLarge
	}
	v, err := canon.ParseObject(text, canon.Limits{MaxBytes: maxWhole, MaxDepth: maxDepth})
	if err != nil {
		b.odd++
		return b.done()
	}
	form.whole(b, v)
	return b.done()
}

func (b *book) lines(in io.Reader, form format) (Session, error) {
	lines := &liner{in: in, most: maxLine}
	for !b.full {
		line, whole, err := lines.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return Session{Calls: b.calls, Odd: b.odd}, fmt.Errorf("read transcript: %w", err)
		}
		switch {
		case !whole:
			b.odd++
		case matters(line, form.words):
			v, bad := canon.ParseObject(line, canon.Limits{MaxBytes: maxLine, MaxDepth: maxDepth})
			if bad != nil {
				b.odd++
			} else {
				form.line(b, v)
			}
		}
		if err != nil {
			break
		}
	}
	return b.done()
}

// matters reports whether a line can tell of a call: most do not, and are long.
func matters(line []byte, words []string) bool {
	for _, w := range words {
		if bytes.Contains(line, []byte(w)) {
			return true
		}
	}
	return false
}

// call takes down a call. One that is told again is the same one, told better.
func (b *book) call(c Call) {
	if c.Agent, c.Session = b.agent, b.session; c.Answer == "" {
		c.Answer = None
	}
	if i, known := b.byID[c.ID]; known && c.ID != "" {
		if was := b.calls[i].Answer; c.Answer == None {
			c.Answer = was
		}
		if c.At.IsZero() {
			c.At = b.calls[i].At
		}
		b.calls[i] = c
		return
	}
	if len(b.calls) >= maxCalls {
		b.full = true
		return
	}
	b.byID[c.ID] = len(b.calls)
	b.calls = append(b.calls, c)
}

// answer takes down what came of a call.
func (b *book) answer(id string, a Answer) {
	if i, known := b.byID[id]; known && id != "" {
		b.calls[i].Answer = a
	}
}

// answered says what an answer to a tool comes to. A denial of the gate is told as an
// error by every agent, and begins with the agent's own words or the gate's: that its
// name stands somewhere in what a tool wrote says nothing.
func answered(failed bool, text string) Answer {
	switch {
	case failed && denial(text):
		return Refused
	case failed:
		return Failed
	}
	return Ran
}

// framed is how agents put a denial of a hook's, and how the gate begins each.
var framed = regexp.MustCompile(`^(?:Error: |PreToolUse:[\w.-]+ hook error: |Tool execution blocked: |Denied by preToolUse hook: |[A-Z][A-Za-z ]{0,40} blocked by PreToolUse hook: )?Toolverdict\b`)

func denial(text string) bool { return framed.MatchString(text) }

// words is what a member says: a text, or the text of the first part of a list.
func words(v canon.Value, path ...string) string {
	if s := text(v, path...); s != "" {
		return s
	}
	parts := list(v, path...)
	switch {
	case len(parts) == 0:
		return ""
	case parts[0].Kind() == canon.KindString:
		return parts[0].Text()
	}
	return text(parts[0], "text")
}
