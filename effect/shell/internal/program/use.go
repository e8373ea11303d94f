// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"strings"

	"github.com/toolverdict/toolverdict/effect/shell/internal/script"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// apply notes what becomes of a word; of names the option it belongs to.
func (r *reading) apply(use string, w word.Word, of string) {
	if of != "" && (isPattern(use) || use == "script") || use == "patterns" {
		r.noPattern = true
	}
	switch use {
	case "", "data", "pattern", "mark":
	case "host", "url", "source", "dest", "gitremote", "rcpt", "query":
		r.applyRemote(use, w)
	case "script", "code", "sh", "sh+", "run", "split", "awk", "sed", "jq", "gitcfg", "rsh", "sshset":
		r.applyCode(use, w)
	case "repo", "tree", "discard", "unpack", "mount", "template", "xprefix", "work":
		r.applyPlace(use, w)
	case "plain", "within", "target", "folder", "phase", "ldflags", "lintarg", "fetch", "gopkg":
		r.applyBuild(use, w, of)
	case "tracked", "trackeds", "tracknames":
		r.applyTracked(use, w)
	case "jqfile":
		r.applyFile("patterns", w)
		r.plan.Known = false
	case "chdir":
		r.base = append(r.base, w)
	case "into":
		r.into = w
	case "plus":
		r.plan.Known = r.plan.Known && strings.HasPrefix(w.Prefix(), "+")
	case "operands":
		if w.Text != "" {
			r.applyFile("read", w)
		}
		r.listed = true
	case "more":
		r.plan.Known = false
	case "opaque":
		if of == "" {
			of = "an operand"
		}
		r.plan.opaque(of + " of " + r.name + " changes what it does")
	default:
		r.applyFile(use, w)
	}
}

// isPattern reports whether an operand of that use is missing when an option
// gives it.
func isPattern(use string) bool {
	return use == "pattern" || use == "awk" || use == "sed" || use == "jq"
}

func cutPrefix(w word.Word, prefix string) (word.Word, bool) {
	if w.Open() && w.Prefix() == "" {
		return w, true // it may start so
	}
	if !strings.HasPrefix(w.Prefix(), prefix) {
		return w, false
	}
	return w.Cut(len(prefix)), true
}

// applyForm reads NAME=@FILE and NAME=<FILE.
func (r *reading) applyForm(w word.Word) {
	head := w.Prefix()
	at := strings.IndexByte(head, '=')
	if at < 0 {
		if len(head) < len(w.Text) {
			r.applyFile("read", word.Unknown())
		}
		return
	}
	value := w.Cut(at + 1)
	for _, mark := range []string{"@", "<"} {
		if file, ok := cutPrefix(value, mark); ok {
			file.Text, _, _ = strings.Cut(file.Text, ";")
			if strings.ContainsAny(file.Text, `",`) {
				file = word.Unknown() // several files, or a quoted name
			}
			r.applyFile("read", file)
			return
		}
	}
}

func (r *reading) applyCode(use string, w word.Word) {
	p := r.plan
	switch use {
	case "awk", "sed", "jq":
		r.applyText(use, w)
		return
	case "gitcfg":
		r.gitConfig(w)
		return
	case "rsh":
		r.rsh(w)
		return
	case "sshset":
		r.sshSetting(w)
		return
	}
	r.coded = true
	switch use {
	case "sh":
		p.Runs = append(p.Runs, Run{Text: word.Text([]word.Word{w}), Shell: POSIX})
	case "sh+":
		p.Runs = append(p.Runs, WithMore(w))
	case "run":
		p.Runs = append(p.Runs, Run{Argv: []word.Word{w, word.Unknown()}})
	case "split":
		r.splitCommand(w)
	case "script":
		if s, ok := w.Static(); ok && s == "-" {
			p.opaque(r.name + " reads code from its standard input")
			return
		}
		p.Known = false
		if scheme, _, ok := strings.Cut(w.Prefix(), ":"); ok && !strings.Contains(scheme, "/") {
			p.opaque(r.name + " runs code from a URL, which may hold the code itself")
		}
		p.use(Script, w)
	default:
		p.opaque(r.name + " runs code that was not analysed")
	}
}

// applyText reads a program in awk or sed.
func (r *reading) applyText(language string, w word.Word) {
	p := r.plan
	text, ok := w.Static()
	if !ok && language != "jq" { // which can do no more than read its modules
		p.opaque("the program of " + r.name + " is not known")
		return
	}
	found := script.Sed(text)
	switch language {
	case "awk":
		found = script.Awk(text)
	case "jq":
		found = script.JQ(w.Text)
	}
	for _, f := range found {
		w := word.Lit(f.Text)
		if !f.Known {
			w = word.Unknown()
		}
		switch f.Kind {
		case script.Run:
			p.Runs = append(p.Runs, Run{Text: word.Text([]word.Word{w}), Shell: POSIX})
		case script.Read:
			p.use(Read, w)
		case script.Write:
			p.use(Write, w)
		case script.Connect:
			p.connect()
		case script.Opaque:
			p.opaque(f.Text)
		}
	}
}

// splitCommand runs a word that the program itself splits at blanks.
func (r *reading) splitCommand(w word.Word) {
	s, ok := w.Static()
	if !ok || strings.ContainsAny(s, `"'\$`) {
		r.plan.opaque("the command that " + r.name + " runs is not known")
		return
	}
	var argv []word.Word
	for field := range strings.FieldsSeq(s) {
		argv = append(argv, word.Lit(field))
	}
	if len(argv) > 0 {
		r.plan.Runs = append(r.plan.Runs, Run{Argv: append(argv, word.Unknown())})
	}
}

// WithMore is text for a shell to which the program adds words of its own, as
// in sh -c 'text "$@"'.
func WithMore(w word.Word) Run {
	text := word.Text([]word.Word{w})
	text.Text += ` "$@"`
	return Run{Text: text, Args: []word.Word{word.Lit("sh"), word.Unknown()}, Shell: POSIX}
}

// applyFile notes what becomes of a path.
func (r *reading) applyFile(use string, w word.Word) {
	p := r.plan
	if s, ok := w.Static(); ok && s == "-" {
		return // a standard stream
	}
	add := func(kind Kind, deep bool) {
		p.Uses = append(p.Uses, Use{Kind: kind, Word: w, Deep: deep || r.deep})
	}
	switch use {
	case "input":
		if strings.HasPrefix(w.Prefix(), "@") {
			p.opaque("a file names more options of " + r.name)
		}
		add(Read, false)
	case "read", "reads", "patterns":
		add(Read, use == "reads")
	case "globbed": // curl reads globs of its own
		if strings.ContainsAny(w.Text, "{[") {
			p.use(Read, word.Unknown())
		}
		add(Read, false)
	case "@read":
		if rest, ok := cutPrefix(w, "@"); ok {
			r.applyFile("read", rest)
		}
	case "name@read": // curl's --data-urlencode: =text, name=text, @file, name@file
		head := w.Prefix()
		switch at := strings.IndexAny(head, "=@"); {
		case at >= 0 && head[at] == '@':
			r.applyFile("read", w.Cut(at+1))
		case at < 0 && len(head) < len(w.Text):
			r.applyFile("read", word.Unknown())
		}
	case "cookie":
		if !strings.Contains(w.Prefix(), "=") {
			add(Read, false)
		}
	case "form":
		r.applyForm(w)
	case "awkarg":
		if name, _, assigns := strings.Cut(w.Prefix(), "="); !assigns || strings.Contains(name, "/") {
			add(Read, false)
		}
	case "list", "lists":
		add(Names, use == "lists")
	default:
		r.applyChange(use, w)
	}
}

// applyChange notes what changes at a path.
func (r *reading) applyChange(use string, w word.Word) {
	p := r.plan
	add := func(kind Kind, deep bool) {
		p.Uses = append(p.Uses, Use{Kind: kind, Word: w, Deep: deep || r.deep})
	}
	switch use {
	case "write", "writes":
		add(Write, use == "writes")
	case "numbered": // #1 is what the first glob in the URL stands for
		if strings.Contains(w.Text, "#") {
			w = word.Unknown()
		}
		p.use(Write, w)
	case "attr", "attrs":
		add(Attribute, use == "attrs")
	case "edit", "edits":
		add(Read, use == "edits")
		add(Write, use == "edits")
		if r.suffix {
			p.use(Write, word.WithSuffix(w))
		}
	case "suffix":
		r.suffix = w.Text != ""
		if strings.Contains(w.Text, "/") || w.Open() {
			p.use(Write, word.Unknown())
		}
	case "pipefile":
		if head := w.Prefix(); head == "" || head[0] == '|' || head[0] == '!' {
			p.opaque("the output of " + r.name + " may go to a command")
		}
		add(Write, false)
	case "delete", "deletes":
		add(Delete, use == "deletes")
	case "scrap":
		add(Write, false)
		add(Delete, false)
	case "consume", "derive":
		add(Read, false)
		p.use(Write, word.WithSuffix(w))
		p.use(Write, word.WithoutSuffix(w))
		if r.deep {
			add(Write, false)
		}
		if use == "consume" {
			add(Delete, false)
		}
	case "built": // it is the folder's own code as much as what it is built from
		add(Attribute, false)
	case "prefix":
		p.use(Write, word.WithSuffix(w))
	case "stem":
		p.deep(Write, word.WithSuffix(w))
	case "archive":
		add(Write, false)
		p.use(Write, word.WithExtension(w, ".zip"))
	}
}

// applyPlace notes what happens in a folder that the word names or implies.
func (r *reading) applyPlace(use string, w word.Word) {
	p := r.plan
	here := word.Lit(".")
	switch use {
	case "repo":
		p.use(Repository, here)
	case "tree", "discard":
		p.deep(Write, here)
		if use == "discard" {
			p.deep(Delete, here)
		}
	case "work":
		p.deep(Attribute, here)
	case "unpack":
		p.use(Read, w)
		if r.into.Text != "" {
			here = r.into
		}
		p.deep(Write, here)
	case "mount":
		r.mount(w)
	case "template":
		r.template(w)
	case "xprefix":
		p.use(Write, word.WithSuffix(word.Lit("x")))
	}
}

// mount reads SOURCE:TARGET[:OPTIONS]; a source without a slash is a name.
func (r *reading) mount(w word.Word) {
	source, rest, _ := strings.Cut(w.Prefix(), ":")
	_, options, _ := strings.Cut(rest, ":")
	switch {
	case source == "":
		r.plan.deep(Write, word.Unknown())
	case source[0] != '/' && source[0] != '.':
	case strings.Contains(options, "ro"):
		r.plan.deep(Read, word.Lit(source))
	default:
		r.plan.deep(Read, word.Lit(source))
		r.plan.deep(Write, word.Lit(source))
	}
}

// template reads what mktemp makes a name from.
func (r *reading) template(w word.Word) {
	s, ok := w.Static()
	if s == "." || !ok && w.Text == "" {
		s, ok = "tmp.XXX", true
	}
	name, _, random := strings.Cut(s, "XXX")
	if !ok || !random {
		r.plan.use(Write, word.Unknown())
		return
	}
	if s == "tmp.XXX" && len(r.base) == 0 {
		name = "/tmp/" + name
	}
	r.plan.use(Write, word.WithSuffix(word.Lit(name)))
}
