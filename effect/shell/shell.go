// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"cmp"
	"errors"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell/internal/program"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// Platform says which shell reads the text.
type Platform string

// Platforms. POSIX is /bin/sh, which may be any shell, so a text counts as
// everything that bash or a plain POSIX shell would make of it.
const (
	Bash  Platform = "bash"
	POSIX Platform = "posix"
)

// Options say where a command would run. The zero value knows nothing: every
// relative path and every "~" is then a path that is not known.
type Options struct {
	Dir      string   // working directory, absolute; "" is Root
	Home     string   // home folder, absolute; "" is not known
	Root     string   // the workspace, absolute: what moves inside it is renamed, what leaves it is gone
	Platform Platform // "" is Bash
}

// Limits of one text. What goes beyond is opaque.
const (
	maxText    = 64 << 10 // bytes, of a text and of all texts inside it together
	maxFrames  = 1200     // stack frames of the parser
	maxDepth   = 120      // commands inside commands
	maxSteps   = 20_000   // commands and words looked at, again for each time round
	maxEffects = 4_000
)

// Analyse returns what the text would do. It never fails: what cannot be
// understood is an opaque effect. No effects at all means that nothing is run
// and nothing touched. It is safe for concurrent use.
func Analyse(text string, o Options) (effects []toolverdict.Effect) {
	a := &analyser{opts: o, effects: make([]toolverdict.Effect, 0, 8)}
	defer func() {
		if recover() != nil {
			effects = []toolverdict.Effect{{Kind: toolverdict.EffectOpaque, Detail: "the analysis of the command failed"}}
		}
	}()
	var err error
	if a.table, err = programs(); err != nil {
		return []toolverdict.Effect{{Kind: toolverdict.EffectOpaque, Detail: "the table of programs cannot be read"}}
	}
	s := &state{}
	if dir := cmp.Or(o.Dir, o.Root); path.IsAbs(dir) {
		s.dirs = []string{path.Clean(dir)}
	}
	if path.IsAbs(o.Home) {
		s.home = path.Clean(o.Home)
	}
	if o.Platform == POSIX {
		a.text(s, word.Lit(text), program.POSIX)
	} else {
		a.text(s, word.Lit(text), program.Bash)
	}
	a.leftovers()
	return a.finish()
}

//nolint:gochecknoglobals // a table too large to write as a constant, read once; nothing changes it
var programs = sync.OnceValues(program.Load)

// analyser is one analysis on its way.
type analyser struct {
	opts    Options
	table   *program.Table
	effects []toolverdict.Effect
	parser  *syntax.Parser
	src     *source
	where   string // what the text at hand stands in, for people

	steps, depth, read int
	guarded            int  // how many conditions are around, in which set -e does not count
	full               bool // a limit was met
	loops              []*loop
	calls              []*call
	aliasing           []string
	stdin              *word.Word    // what a here-document gives the command at hand
	written            []word.Target // files that an earlier command wrote
	declared           []*function
	called             map[*function]bool
}

// source is a text that was parsed.
type source struct {
	text  string
	lang  syntax.LangVariant
	posix bool // it may be a plain POSIX shell that reads it, or bash in its POSIX mode
}

// text walks a text as a shell would that starts where s is, and returns what
// is left of s for a shell that goes on.
func (a *analyser) text(s *state, w word.Word, shell program.Shell) flow {
	if shell == program.Foreign {
		a.opaque("a text in another shell's language")
		return straight(s)
	}
	text, static := w.Static()
	if !static {
		a.opaque("a command that is only known when it runs")
		text = placeholders(w)
	}
	a.read += len(text)
	if a.read > maxText {
		a.limit("the command is too long")
		return straight(s)
	}
	if why := screen(text); why != "" {
		a.opaque(why)
	}
	if shell != program.POSIX {
		return a.parse(s, &source{text: text, lang: syntax.LangBash})
	}
	if !strings.ContainsAny(text, "$&{[(<>`") {
		return a.parse(s, &source{text: text, lang: syntax.LangBash, posix: true})
	}
	// Where the dialects differ, either may be meant.
	other := s.fork()
	mark := len(a.effects)
	first := a.parse(s, &source{text: text, lang: syntax.LangBash, posix: true})
	failed := len(a.effects)
	second := a.parse(other, &source{text: text, lang: syntax.LangPOSIX, posix: true})
	a.dropRefusals(mark, failed)
	return flow{ok: join(first.ok, second.ok), fail: join(first.fail, second.fail)}
}

// placeholders fills holes so that the text around them can still be read.
func placeholders(w word.Word) string {
	if w.Glob || w.Text == "" {
		return ""
	}
	return strings.NewReplacer("\x00", "$_hole", "\x01", "$_hole", "\x02", "0").Replace(w.Text)
}

// screen returns why a text may not be what the parser takes it for.
func screen(text string) string {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' && c != '\t' && c != '\n' && c != 0x1b {
			return "the command holds a control character, which shells and parsers read differently"
		}
	}
	if strings.Contains(text, "\\\n") && strings.Contains(text, "#") && continuedComment(text) {
		return "a comment that ends in a backslash, which shells and parsers read differently"
	}
	return ""
}

// continuedComment reports whether a comment ends in a backslash: to a shell
// the comment ends there, to the parser the next line goes on with the command
// before it.
func continuedComment(text string) bool {
	found := false
	p := syntax.NewParser(syntax.KeepComments(true))
	file, err := p.Parse(&boundedReader{text: text}, "")
	if err != nil {
		return false // refused later
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		c, ok := n.(*syntax.Comment)
		found = found || ok && strings.HasSuffix(strings.TrimRight(c.Text, "\n"), `\`)
		return !found
	})
	return found
}

const refused = "the command does not parse"

// parse walks the statements up to where the text stops making sense: a shell
// runs each line before it reads the next.
func (a *analyser) parse(s *state, src *source) flow {
	defer func(old *source) { a.src = old }(a.src)
	a.src = src
	list, err := a.statements(src)
	for range 16 {
		if !splitAmpersand(src, err) {
			break
		}
		list, err = a.statements(src)
	}
	f := a.stmts(s, list)
	if err != nil {
		a.refuse(err)
	}
	return f
}

// statements parses a text up to where it fails.
func (a *analyser) statements(src *source) ([]*syntax.Stmt, error) {
	if a.parser == nil {
		a.parser = syntax.NewParser()
	}
	syntax.Variant(src.lang)(a.parser)
	var list []*syntax.Stmt
	for stmt, err := range a.parser.StmtsSeq(&boundedReader{text: src.text}) {
		if err != nil {
			return list, err
		}
		list = append(list, stmt)
	}
	return list, nil
}

// splitAmpersand reports whether a text failed to parse because of "&>", which
// a plain POSIX shell reads as "&" and ">", and writes it so.
func splitAmpersand(src *source, err error) bool {
	var lang syntax.LangError
	if !errors.As(err, &lang) || src.lang != syntax.LangPOSIX || !strings.Contains(lang.Feature, "&>") {
		return false
	}
	at := int(lang.Pos.Offset()) //nolint:gosec // an offset in a text of 64 KiB
	if at >= len(src.text) || src.text[at] != '&' {
		return false
	}
	src.text = src.text[:at] + "& " + src.text[at+1:]
	return true
}

// refuse notes that the parser gave up. What it says may quote the text, so
// only the place is kept.
func (a *analyser) refuse(err error) {
	why := refused
	var parse syntax.ParseError
	var lang syntax.LangError
	switch {
	case errors.As(err, &lang) && !a.brokenEverywhere(lang):
		why = "a piece of syntax that shells read differently"
	case errors.Is(err, errTooDeep):
		why = "the command is nested too deeply"
	case errors.As(err, &parse) && a.where == "":
		a.where = parse.Pos.String()
		defer func() { a.where = "" }()
	}
	a.opaque(why)
}

// brokenEverywhere reports whether a plain POSIX shell cannot parse what the
// parser says is another shell's; some of it such a shell reads in its own way,
// or only stumbles over when it gets there.
func (a *analyser) brokenEverywhere(e syntax.LangError) bool {
	switch e.Feature {
	case "herestrings", "extended globs", "c-style fors", "for loops with braces":
		return true
	case "arrays":
		at := int(e.Pos.Offset()) //nolint:gosec // an offset in a text of 64 KiB
		return at < len(a.src.text) && a.src.text[at] == '('
	}
	return false
}

var errTooDeep = errors.New("nested too deeply")

// boundedReader hands a text to the parser and stops it from recursing without
// end: the parser has no limit of its own, and a stack that grows too far
// cannot be recovered from.
type boundedReader struct {
	text string
	at   int
}

func (r *boundedReader) Read(p []byte) (int, error) {
	if r.at == len(r.text) {
		return 0, io.EOF
	}
	var frame [1]uintptr
	if r.at > 0 && runtime.Callers(maxFrames, frame[:]) > 0 {
		return 0, errTooDeep
	}
	n := copy(p, r.text[r.at:])
	r.at += n
	return n, nil
}

// dropRefusals removes what the parser says against a text as a plain POSIX
// shell would read it, where bash can read it: such a shell runs nothing. That
// bash cannot is the parser's word alone.
func (a *analyser) dropRefusals(first, second int) {
	is := func(e toolverdict.Effect) bool {
		return e.Kind == toolverdict.EffectOpaque && strings.HasPrefix(e.Detail, refused)
	}
	if !slices.ContainsFunc(a.effects[first:second], is) {
		a.effects = append(a.effects[:second], slices.DeleteFunc(a.effects[second:], is)...)
	}
}
