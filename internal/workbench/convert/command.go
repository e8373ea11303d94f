// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"regexp"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell"
	"github.com/toolverdict/toolverdict/internal/workbench/draft"
)

// pattern is what a list says of a command: words, of which a star is any run
// of characters.
type pattern struct {
	words []string
	plain bool // nothing in it means anything to a shell
	exact bool // no star: this text
	text  string
}

func readPattern(what string) pattern {
	if start, ok := strings.CutSuffix(what, ":*"); ok {
		what = strings.TrimRight(start, " ") + " *"
	}
	return pattern{
		words: strings.Fields(what), exact: !strings.Contains(what, "*"), text: what,
		plain: !strings.ContainsAny(what, "'\"`$;&|<>(){}[]~#!?\\\n\t"),
	}
}

// shell converts Bash(PATTERN).
func (c *claude) shell(p permission) {
	targets := c.shells()
	if p.what == "" {
		c.write(p, names(targets...), nil)
		return
	}
	w := readPattern(p.what)
	for _, t := range targets {
		argument := draft.Argument(t.argument)
		switch {
		case t.argument == "" && p.strict() && w.plain:
			c.write(p, t.names, draft.One("effects.any", w.runs()))
		case t.argument == "":
			c.cannot(p, t.names, "the command stands inside an argument")
		case p.strict():
			c.write(p, t.names, c.stops(w, argument, p))
		case w.exact:
			c.write(p, t.names, draft.One(argument, draft.One("eq", w.text)))
		case !w.plain:
			c.leave(p, "it joins a star with signs that mean something to a shell")
		case w.words[0] == "*" && len(w.words) == 1:
			c.leave(p, "it names no program")
		default:
			c.write(p, t.names, w.passes(argument))
		}
	}
}

// stops is the condition of a deny or ask rule: the text that the list means,
// or the same command wherever it runs in a line.
func (c *claude) stops(w pattern, argument string, p permission) draft.Map {
	text := draft.One(argument, draft.One("regex", w.anyText()))
	if !w.plain {
		c.say(p.at, "write what the command does, with effects.any", "%q is kept by its text alone: another spelling of it passes", show(p.text))
		return text
	}
	return draft.Either(text, draft.One("effects.any", w.runs()))
}

// anyText matches at least every text that the list means.
func (w *pattern) anyText() string {
	var b strings.Builder
	b.WriteString(`(?s)\s*`)
	for i, word := range w.words {
		last := i == len(w.words)-1
		switch {
		case word == "*" && last && i > 0:
			b.WriteString(`(\s.*)?`)
			return b.String()
		case i > 0:
			b.WriteString(`\s+`)
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(word), `\*`, `.*`))
	}
	b.WriteString(`\s*`)
	return b.String()
}

// runs is a test of an effect that every such command has: its program, and its
// words among the program's. In which order they stand is not asked.
func (w *pattern) runs() draft.Map {
	out := draft.Map{}
	if program := programTest(w.words[0]); program != nil {
		out = append(out, draft.Entry{Key: "program", Value: program})
	}
	rest := w.words[1:]
	if verb := w.verb(); verb != "" {
		out, rest = append(out, draft.Entry{Key: "verb", Value: verb}), rest[1:]
	}
	var each []draft.Map
	for _, word := range rest {
		switch {
		case word == "*":
		case strings.Contains(word, "*"):
			each = append(each, draft.One("argv", draft.One("any", draft.One("glob", word))))
		default:
			each = append(each, draft.One("argv", draft.One("any", word)))
		}
	}
	out = draft.Both(append([]draft.Map{out}, each...)...)
	if len(out) == 0 {
		return draft.One("kind", "execute")
	}
	return out
}

// programTest compares with a program's name; nil stands for any.
func programTest(word string) any {
	base := word[strings.LastIndexByte(word, '/')+1:]
	switch {
	case strings.Trim(word, "*") == "":
		return nil
	case strings.Contains(base, "*"):
		return draft.One("glob", strings.ReplaceAll(base, "**", "*"))
	case base != word:
		return draft.One("regex", "(.*/)?"+regexp.QuoteMeta(base))
	}
	return word
}

// verb is the second word, where the analyser takes it for a subcommand.
func (w *pattern) verb() string {
	if len(w.words) < 2 || strings.Contains(w.words[0]+w.words[1], "*") {
		return ""
	}
	for _, e := range shell.Analyse(w.words[0]+" "+w.words[1], shell.Options{}) {
		if e.Kind == tv.EffectExecute && e.Verb == w.words[1] {
			return e.Verb
		}
	}
	return ""
}

// aWord is a word without signs that mean something to a shell.
const aWord = `[A-Za-z0-9_./:=@,+%-]`

// passes is the condition of an allow rule: plain words only, and nothing done
// beside what the command as written does.
func (w *pattern) passes(argument string) draft.Map {
	effects := []any{draft.Both(draft.One("kind", "execute"), w.program())}
	fixed := slices.DeleteFunc(slices.Clone(w.words), func(s string) bool { return strings.Contains(s, "*") })
	kinds := append([]string{string(tv.EffectRead)}, harms(strings.Join(fixed, " "))...)
	effects = append(effects, draft.One("kind", draft.Texts(kinds...)))
	return draft.Map{
		{Key: argument, Value: draft.One("regex", w.plainText())},
		{Key: "effects.every", Value: draft.One("any", effects)},
	}
}

func (w *pattern) program() draft.Map {
	program := programTest(w.words[0])
	if program == nil {
		return nil
	}
	out := draft.One("program", program)
	if verb := w.verb(); verb != "" {
		out = append(out, draft.Entry{Key: "verb", Value: verb})
	}
	return out
}

// plainText matches only texts that the list means, of plain words on one line.
func (w *pattern) plainText() string {
	var b strings.Builder
	for i, word := range w.words {
		switch {
		case word == "*" && i == 0:
			b.WriteString(`[A-Za-z0-9_.][A-Za-z0-9_.-]*`)
			continue
		case word == "*":
			b.WriteString(`(?: ` + aWord + `+)*`)
			continue
		case i > 0:
			b.WriteByte(' ')
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(word), `\*`, aWord+`*`))
	}
	return b.String()
}
