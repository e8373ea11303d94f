// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup/internal/jsontext"
)

// words are the command as a list: the program first.
func (e *Entry) words(a hookgate.Agent) []string {
	out := append([]string{e.Program, "hook", string(a)}, e.Arguments...)
	if e.Deadline != DefaultDeadline {
		out = append(out, "--deadline", e.Deadline.String())
	}
	return out
}

// line is the command for a shell.
func (e *Entry) line(a hookgate.Agent) string {
	words := e.words(a)
	for i, word := range words {
		words[i] = quote(word)
	}
	return strings.Join(words, " ")
}

// quote writes a word for a shell.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=@%+,", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// split reads the words of the first command of a line as [quote] and people write
// them. What only a shell understands ends it, and is the rest.
func split(line string) (out []string, rest string) {
	var word strings.Builder
	begun := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' || c == '"':
			end := strings.IndexByte(line[i+1:], c)
			if end < 0 {
				return nil, ""
			}
			word.WriteString(line[i+1 : i+1+end])
			i, begun = i+1+end, true
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			begun = true
		case strings.IndexByte("|&;<>()$`\n", c) >= 0, c == '#' && !begun:
			if begun {
				out = append(out, word.String())
			}
			return out, line[i:]
		case c == ' ' || c == '\t':
			if begun {
				out = append(out, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		out = append(out, word.String())
	}
	return out, ""
}

// orElse stands behind the command where a shell runs it for an agent that goes on
// when the program is missing or is killed: another program then says no.
const orElse = "|| { echo the gate failed >&2; exit 2; }"

// chained is what somebody put behind the gate's command in a handler: it is theirs.
func chained(a hookgate.Agent, handler *jsontext.Node) string {
	if handler.Get("args") != nil {
		return "" // no shell runs it
	}
	_, rest := split(handler.Get(commandOf(a)).String())
	if rest = strings.TrimSpace(rest); rest == orElse {
		return ""
	}
	return rest
}

// commandOf is the member of a handler that holds its command.
func commandOf(a hookgate.Agent) string {
	if a == hookgate.Copilot {
		return "bash"
	}
	return "command"
}

// address is where the agent asks.
func (e *Entry) address(a hookgate.Agent) string {
	return strings.TrimSuffix(e.Server, "/") + hooksPath + string(a)
}

// hooksPath is where a server answers agents.
const hooksPath = "/v1/hooks/"

// entryOf reads a handler; ok is false of what is not the gate's. It is known by
// how it is called, and by a program called toolverdict or one of these: another
// tool may be called alike, and is left alone.
func entryOf(a hookgate.Agent, handler *jsontext.Node, programs []string) (e Entry, ok bool) {
	if server, ok := strings.CutSuffix(handler.Get("url").String(), hooksPath+string(a)); ok && handler.Get("type").String() == "http" {
		variable := strings.TrimPrefix(handler.Get("headers", "Authorization").String(), "Bearer $")
		return Entry{Server: server, KeyVariable: variable, Deadline: DefaultDeadline}, true
	}
	command := handler.Get(commandOf(a)).String()
	words, _ := split(command)
	if args := handler.Get("args"); args != nil {
		words = []string{command}
		for _, arg := range args.Items {
			words = append(words, arg.Text)
		}
	}
	return entryOfWords(a, words, programs)
}

func entryOfWords(a hookgate.Agent, words, programs []string) (e Entry, ok bool) {
	if len(words) < 3 || words[1] != "hook" || words[2] != string(a) {
		return Entry{}, false
	}
	base := strings.TrimSuffix(filepath.Base(words[0]), ".exe")
	if base != "toolverdict" && !slices.Contains(programs, words[0]) {
		return Entry{}, false
	}
	e = Entry{Program: words[0], Arguments: slices.Clone(words[3:]), Deadline: DefaultDeadline}
	if at := slices.Index(e.Arguments, "--deadline"); at >= 0 && at+1 < len(e.Arguments) {
		if d, err := time.ParseDuration(e.Arguments[at+1]); err == nil {
			e.Deadline, e.Arguments = d, slices.Delete(e.Arguments, at, at+2)
		}
	}
	if len(e.Arguments) == 0 {
		e.Arguments = nil
	}
	return e, true
}
