// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/effect/shell/internal/table"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// copy reads cp, mv, ln and install: sources, and a last operand or -t that is
// the place to put them.
func (r *reading) copy(args []word.Word) bool {
	r.readOptions(args)
	if r.ended {
		*r.plan = Plan{Known: true}
		return true
	}
	for _, w := range r.operands {
		r.loose(w.Loose())
	}
	var to word.Word
	from, into := r.operands, false
	switch {
	case len(r.instead) > 0: // install -d
		r.useOperands()
		return true
	case len(r.base) > 0: // -t
		to, into = r.base[len(r.base)-1], true
		r.base = nil
	case len(from) == 1 && strings.HasSuffix(r.name, "ln"):
		to, into = word.Lit("."), true
	case len(from) < 2 && (len(from) == 0 || !from[0].Many):
		return true
	default:
		to = from[len(from)-1]
		if !to.Many {
			from = from[:len(from)-1]
		}
	}
	for _, source := range from {
		r.copyOne(source, to, into)
	}
	r.finish()
	return true
}

func (r *reading) copyOne(from, to word.Word, into bool) {
	p := r.plan
	link := r.link || strings.HasSuffix(r.name, "ln") || r.name == "link" || r.name == "symlink"
	switch {
	case link || strings.HasSuffix(r.name, "mv"):
		p.Moves = append(p.Moves, Move{From: from, To: to, Into: into, Link: link})
	default:
		p.Uses = append(p.Uses, Use{Kind: Read, Word: from, Deep: r.deep})
	}
	// A folder that is moved takes what is in it along.
	deep := r.deep || strings.HasSuffix(r.name, "mv")
	places := []word.Word{to, word.Inside(to, from)}
	if into {
		places = places[1:]
	}
	for _, place := range places {
		p.Uses = append(p.Uses, Use{Kind: Write, Word: place, Deep: deep})
		if r.suffix {
			p.use(Write, word.WithSuffix(place))
		}
	}
}

// dd reads "dd if=FILE of=FILE ...".
func (r *reading) dd(args []word.Word) bool {
	for _, w := range args {
		if w.Loose() == word.Loose {
			r.plan.opaque("an argument of dd is not known")
		}
		name, _, _ := strings.Cut(w.Prefix(), "=")
		switch name {
		case "if":
			r.plan.use(Read, w.Cut(3))
		case "of":
			r.plan.use(Write, w.Cut(3))
		}
	}
	return true
}

// test reads "test EXPRESSION": a look at files, and a trap where a variable's
// name is evaluated.
func (r *reading) test(args []word.Word) bool {
	for i, w := range args {
		op, ok := w.Static()
		if !ok || len(op) != 2 || op[0] != '-' || i+1 == len(args) {
			continue
		}
		switch op[1] {
		case 'v', 'R':
			if s, ok := args[i+1].Static(); !ok && args[i+1].FromData() || strings.ContainsAny(s, "[$`") {
				r.plan.opaque("test -v evaluates a subscript")
			}
		case 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'G', 'h', 'k', 'L', 'N', 'O', 'p', 'r', 's', 'S', 'u', 'w', 'x':
			r.plan.use(Names, args[i+1])
		}
	}
	return true
}

// archive is a tar command on its way.
type archive struct {
	*reading
	mode          byte
	file          word.Word
	dir           []word.Word
	members       []word.Word
	toStdout, abs bool
	remove        bool
	mirror        bool // what the archive does not have is deleted
	listing       bool // a file names the members, and perhaps where they go: its lines may be -C FOLDER
}

// tar reads both "tar -c -f x" and "tar cf x".
func (r *reading) tar(args []word.Word) bool {
	a := archive{reading: r}
	if len(args) > 0 {
		if s, ok := args[0].Static(); ok && s != "" && s[0] != '-' {
			args = a.oldOptions(s, args[1:])
		}
	}
	for i := 0; i < len(args); i++ {
		i += a.argument(args[i], args[i+1:])
	}
	if r.ended {
		*r.plan = Plan{Known: true}
		return true
	}
	a.conclude()
	return true
}

// oldOptions reads "cfz x y", whose values follow in the order of the letters.
func (a *archive) oldOptions(letters string, args []word.Word) []word.Word {
	for i := range len(letters) {
		value := word.Word{}
		if strings.IndexByte(tarValues, letters[i]) >= 0 && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		a.letter(letters[i], value)
	}
	return args
}

const tarValues = "bfCgIKLNTVXFH"

func (a *archive) argument(w word.Word, after []word.Word) int {
	head := w.Prefix()
	switch {
	case strings.HasPrefix(head, "--"):
		return a.long(w, head, after)
	case len(head) > 1 && head[0] == '-':
	default:
		a.loose(w.Loose())
		a.members = append(a.members, w)
		return 0
	}
	for i := 1; i < len(head); i++ {
		if strings.IndexByte(tarValues, head[i]) < 0 {
			a.letter(head[i], word.Word{})
			continue
		}
		if rest := w.Cut(i + 1); rest.Text != "" {
			a.letter(head[i], rest)
			return 0
		}
		if len(after) > 0 {
			a.letter(head[i], after[0])
			return 1
		}
		return 0
	}
	if len(head) < len(w.Text) {
		a.plan.opaque("an option of tar is not known")
	}
	return 0
}

func (a *archive) letter(c byte, value word.Word) {
	switch c {
	case 'c', 'x', 't', 'r', 'u', 'A', 'd':
		a.mode = c
	case 'f':
		a.file = value
	case 'C':
		a.dir = append(a.dir, value)
	case 'O':
		a.toStdout = true
	case 'P':
		a.abs = true
	case 'T', 'X':
		a.plan.use(Read, value)
		if a.listing = a.listing || c == 'T'; c == 'T' {
			a.members = append(a.members, word.Unknown())
		}
	case 'g':
		a.mirror = true
		a.plan.use(Write, value)
	case 'I':
		a.applyCode("split", value)
		a.plan.Known = len(a.plan.Opaque) == 0
	case 'F':
		a.applyCode("sh", value)
	case 'G':
		a.mirror = true
	case 'U':
		a.remove = true
	case 'a', 'b', 'B', 'h', 'H', 'i', 'j', 'J', 'k', 'K', 'l', 'm', 'N', 'n', 'o', 'p', 'R', 's', 'S', 'v', 'V', 'w', 'W', 'z', 'Z':
	default:
		a.plan.Known = false
	}
}

// long reads a long option, abbreviated or not.
func (a *archive) long(w word.Word, head string, after []word.Word) int {
	name, _, attached := strings.Cut(head, "=")
	o, key, ok := a.row.Find(name)
	if !ok {
		a.plan.Known = false
		if !attached && len(head) < len(w.Text) {
			a.plan.opaque("an option of tar is not known")
		}
		return 0
	}
	value, taken := word.Word{}, 0
	if attached {
		value = w.Cut(len(name) + 1)
	} else if o.Value == table.NeedsValue && len(after) > 0 {
		value, taken = after[0], 1
	}
	if len(o.Tag) == 1 {
		a.letter(o.Tag[0], value)
		return taken
	}
	a.longEffect(key, value)
	return taken
}

func (a *archive) longEffect(key string, value word.Word) {
	switch key {
	case "--help", "--version", "--usage":
		a.ended = true
	case "--delete":
		a.mode = 'r'
	case "--remove-files", "--recursive-unlink", "--unlink-first":
		a.remove = true
	case "--checkpoint-action":
		if s, ok := value.Static(); !ok || strings.HasPrefix(s, "exec=") {
			a.applyCode("sh", value.Cut(min(len("exec="), len(value.Prefix()))))
		}
	case "--to-command", "--rmt-command", "--rsh-command":
		a.toStdout = a.toStdout || key == "--to-command"
		a.applyCode("sh", value)
	case "--index-file", "--volno-file":
		a.plan.use(Write, value)
	case "--add-file":
		a.members = append(a.members, value)
	case "--one-top-level":
		if value.Text != "" {
			a.dir = append(a.dir, value)
		}
	}
}

// conclude says what the archive and its members become.
func (a *archive) conclude() {
	p := a.plan
	file := Use{Kind: Read, Word: a.file}
	switch a.mode {
	case 'c', 'r', 'u', 'A':
		file.Kind = Write
		for _, m := range a.members {
			p.Uses = append(p.Uses, Use{Kind: Read, Word: a.inDir(m), Deep: true})
			if a.remove {
				p.Uses = append(p.Uses, Use{Kind: Delete, Word: a.inDir(m), Deep: true})
			}
		}
	case 'x':
		a.extract()
	case 'd':
		p.deep(Read, a.inDir(word.Lit(".")))
	case 't':
	default:
		p.Known = false
	}
	if s, ok := a.file.Static(); !ok || s != "" && s != "-" {
		if strings.Contains(s, ":") {
			p.connect()
		}
		p.Uses = append(p.Uses, file)
	}
}

func (a *archive) extract() {
	if a.toStdout {
		return
	}
	if a.listing {
		a.plan.opaque("a file that tar reads names may say where they go")
	}
	if a.abs {
		a.plan.use(Write, word.Unknown())
	}
	a.plan.deep(Write, a.inDir(word.Lit(".")))
	if a.remove || a.mirror {
		a.plan.deep(Delete, a.inDir(word.Lit(".")))
	}
}

// inDir returns a member as seen from the folders of -C.
func (a *archive) inDir(w word.Word) word.Word {
	for _, dir := range slices.Backward(a.dir) {
		w = word.Join(dir, w)
	}
	return w
}
