// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed programs.txt
var programsText string

// Table is programs.txt, read. It does not change.
type Table struct {
	rows map[string]entry
}

// entry is a name and its row: names of one row are different commands that
// are read alike.
type entry struct {
	*row
	verb string // of a subcommand: its full name
}

// row is what the table says of one program, or of one subcommand ("git log").
type row struct {
	flags    flags
	special  string
	scheme   string
	operands operands
	options  map[string]option
	sharp    bool // an option writes, deletes, runs or connects
}

type flags struct {
	any     bool // options that are not listed are harmless and take no value
	stop    bool // options end at the first operand
	words   bool // a single dash starts a long option
	more    bool // it does more than files and hosts
	net     bool // it connects, to hosts that its arguments may not tell
	verbs   bool // the first operand is a subcommand
	asks    bool // without code or a script it takes commands from standard input
	pluscmd bool // an operand that starts with + is a command of its own
	assigns bool // NAME=VALUE before the command is its environment
	away    bool // what it runs, it runs elsewhere
	login   bool // everything starts from a folder that is not known
}

// operands are what becomes of the arguments that are no options.
type operands struct {
	uses []string
	rest string // for any more, "" for none known
	last string // for the last of several
	here string // for the working directory, when there is none
	deep string // for the working directory, when there is none and the command goes into folders
	one  string // for the working directory, when there is one at most
	also []string
}

type option struct {
	value   valueKind
	use     string    // of the value
	tag     string    // what the option does by itself
	instead *operands // what operands are with it
}

type valueKind uint8

const (
	noValue valueKind = iota
	needsValue
	mayHaveValue // only when written together
	twoValues
)

// Load reads the table.
func Load() (*Table, error) {
	t := &Table{rows: map[string]entry{}}
	for i, line := range strings.Split(programsText, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := t.add(line); err != nil {
			return nil, fmt.Errorf("read programs.txt: line %d: %v", i+1, err)
		}
	}
	return t, nil
}

// add reads "names | flags | operands | options". Names are programs, or one
// program with "/"-separated names of a subcommand, the full one first.
func (t *Table) add(line string) error {
	parts := strings.Split(line, "|")
	if len(parts) > 4 {
		return fmt.Errorf("%d columns, at most 4: names, flags, operands, options", len(parts))
	}
	for len(parts) < 4 {
		parts = append(parts, "")
	}
	r := &row{options: map[string]option{}}
	if err := r.readFlags(strings.Fields(parts[1])); err != nil {
		return err
	}
	var err error
	if r.operands, err = readOperands(strings.Fields(parts[2])); err != nil {
		return err
	}
	for token := range strings.FieldsSeq(parts[3]) {
		if err := r.readOption(token); err != nil {
			return err
		}
	}
	return t.name(r, parts[0])
}

func (t *Table) name(r *row, names string) error {
	programs, verbs, sub := strings.Cut(names, ">")
	for program := range strings.FieldsSeq(programs) {
		if !sub {
			if err := t.set(program, entry{row: r}); err != nil {
				return err
			}
			continue
		}
		for group := range strings.FieldsSeq(verbs) {
			full, _, _ := strings.Cut(group, "/")
			for verb := range strings.SplitSeq(group, "/") {
				if err := t.set(subName(program, verb), entry{row: r, verb: full}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// subName is the key of a subcommand; "git.stash" has subcommands too.
func subName(program, verb string) string {
	if first, second, ok := strings.Cut(program, "."); ok && (first == "git" || first == "python") {
		program = first + " " + second
	}
	return program + " " + verb
}

func (t *Table) set(name string, e entry) error {
	if t.rows[name].row != nil {
		return fmt.Errorf("%s has a row already", name)
	}
	t.rows[name] = e
	return nil
}

func (r *row) readFlags(tokens []string) error {
	for _, token := range tokens {
		key, value, _ := strings.Cut(token, "=")
		switch key {
		case "any":
			r.flags.any = true
		case "stop":
			r.flags.stop = true
		case "words":
			r.flags.words = true
		case "more":
			r.flags.more = true
		case "net":
			r.flags.net = true
		case "verbs":
			r.flags.verbs = true
		case "asks":
			r.flags.asks = true
		case "assigns":
			r.flags.assigns = true
		case "pluscmd":
			r.flags.pluscmd = true
		case "away":
			r.flags.away = true
		case "login":
			r.flags.login = true
		case "sharp":
			r.sharp = true
		case "special":
			r.special = value
		case "scheme":
			r.scheme = value
		default:
			return fmt.Errorf("unknown flag %q", token)
		}
	}
	return nil
}

func readOperands(tokens []string) (operands, error) {
	var o operands
	for _, token := range tokens {
		use := o.read(token)
		if _, ok := sharpness(use); !ok {
			return o, fmt.Errorf("unknown use %q", use)
		}
	}
	return o, nil
}

// read takes in one token and returns the use that it names.
func (o *operands) read(token string) (use string) {
	where, use, _ := strings.Cut(token, ":")
	switch where {
	case "last":
		o.last = use
	case "here":
		o.here = use
	case "deep":
		o.deep = use
	case "else1":
		o.one = use
	case "also":
		o.also = append(o.also, use)
	default:
		if rest, ok := strings.CutSuffix(token, "*"); ok {
			o.rest = rest
			return rest
		}
		o.uses = append(o.uses, token)
		return token
	}
	return use
}

// readOption reads one of
//
//	-x           a flag that changes nothing we look at
//	-x=USE       a value, and what becomes of it; -x= is data
//	-x?USE       the same, when the value is written together
//	-x==USE      two values, USE is of the second
//	-x=:L        a value, as the letter L of tar takes it
//	-x>A,B*      a flag, with which operands are A, then B
//	-x:TAG       a flag, and what it does
func (r *row) readOption(token string) error {
	at := strings.IndexAny(token, "=?>:")
	if at < 0 {
		r.options[token] = option{}
		return nil
	}
	name, rest := token[:at], token[at+1:]
	var o option
	switch token[at] {
	case '=':
		o.value = needsValue
		if second, ok := strings.CutPrefix(rest, "="); ok {
			o.value, rest = twoValues, second
		}
		if letter, ok := strings.CutPrefix(rest, ":"); ok {
			o.tag, rest = letter, ""
		}
		o.use = rest
	case '?':
		use, with, changes := strings.Cut(rest, ">")
		o.value, o.use = mayHaveValue, use
		if changes {
			instead, err := readOperands(strings.Split(with, ","))
			if err != nil {
				return err
			}
			o.instead = &instead
		}
	case '>':
		instead, err := readOperands(strings.Split(rest, ","))
		if err != nil {
			return err
		}
		o.instead = &instead
	case ':':
		if !isTag(rest) {
			return fmt.Errorf("unknown tag %q", rest)
		}
		o.tag = rest
	}
	if o.use != "" {
		sharp, ok := sharpness(o.use)
		if !ok {
			return fmt.Errorf("unknown use %q", o.use)
		}
		r.sharp = r.sharp || sharp
	}
	r.sharp = r.sharp || o.tag == "opaque" || o.tag == "code" || o.instead != nil && sharper(*o.instead, r.operands)
	if _, ok := r.options[name]; ok {
		return fmt.Errorf("option %s twice", name)
	}
	r.options[name] = o
	return nil
}

// sharper reports whether operands are used for more with an option.
func sharper(with, without operands) bool {
	sharp := func(o operands) bool {
		for _, name := range append([]string{o.rest, o.last, o.here}, o.uses...) {
			if is, _ := sharpness(name); is {
				return true
			}
		}
		return false
	}
	return sharp(with) && !sharp(without)
}

// sharpness says whether a use changes or runs something, and whether there is
// such a use.
func sharpness(use string) (sharp, ok bool) {
	switch use {
	case "data", "pattern", "patterns", "read", "reads", "list", "lists", "@read", "form", "plus", "chdir", "mark",
		"awkarg", "into", "cookie":
		return false, true
	case "write", "writes", "attr", "attrs", "edit", "edits", "delete", "deletes", "scrap", "consume", "prefix",
		"host", "url", "source", "dest", "rcpt", "query", "repo", "script", "code", "run", "sh", "split", "gitcfg",
		"awk", "sed", "suffix", "pipefile", "opaque", "more", "tree", "discard", "derive", "unpack", "mount", "gitremote",
		"template", "rsh", "xprefix", "sshset":
		return true, true
	}
	return false, false
}

func isTag(s string) bool {
	switch s {
	case "more", "opaque", "code", "net", "ends", "deep", "follow", "stdin", "purge", "drain", "login", "link":
		return true
	}
	return len(s) == 1 // a long name for a letter of tar
}
