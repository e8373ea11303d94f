// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed programs.txt
var programsText string

// Table is programs.txt, read. It does not change.
type Table struct {
	rows map[string]Entry
}

// Entry is a name and its row: names of one row are different commands that
// are read alike.
type Entry struct {
	*Row
	Verb string // of a subcommand: its full name
}

// Row is what the table says of one program, or of one subcommand ("git log").
type Row struct {
	Flags    Flags
	Special  string
	Scheme   string
	Alone    string // the subcommand when there is none
	Operands Operands
	Options  map[string]Option
	Sharp    bool // an option writes, deletes, runs or connects
}

// Flags are what holds for a whole command.
type Flags struct {
	Any     bool // options that are not listed are harmless and take no value
	Stop    bool // options end at the first operand
	Words   bool // a single dash starts a long option
	More    bool // it does more than files and hosts
	Net     bool // it connects, to hosts that its arguments may not tell
	Verbs   bool // the first operand is a subcommand
	Asks    bool // without code or a script it takes commands from standard input
	Pluscmd bool // an operand that starts with + is a command of its own
	Assigns bool // NAME=VALUE before the command is its environment
	Away    bool // what it runs, it runs elsewhere
	Login   bool // everything starts from a folder that is not known

	Settings bool // it reads files of settings that may name commands
}

// Operands are what becomes of the arguments that are no options.
type Operands struct {
	Uses []string
	Rest string // for any more, "" for none known
	Last string // for the last of several
	Here string // for the working directory, when there is none
	Deep string // for the working directory, when there is none and the command goes into folders
	One  string // for the working directory, when there is one at most
	Also []string
}

// Option is one option of a program.
type Option struct {
	Value   ValueKind
	Use     string    // of the value
	Tag     string    // what the option does by itself
	Instead *Operands // what operands are with it
}

// ValueKind says how an option takes a value.
type ValueKind uint8

// Kinds of values.
const (
	NoValue ValueKind = iota
	NeedsValue
	MayHaveValue // only when written together
	TwoValues
)

// Load reads the table.
func Load() (*Table, error) {
	t := &Table{rows: map[string]Entry{}}
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

// Find returns what the table says of a program, or of a subcommand.
func (t *Table) Find(name string) (Entry, bool) {
	e, ok := t.rows[name]
	return e, ok
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
	r := &Row{Options: map[string]Option{}}
	if err := r.readFlags(strings.Fields(parts[1])); err != nil {
		return err
	}
	var err error
	if r.Operands, err = readOperands(strings.Fields(parts[2])); err != nil {
		return err
	}
	for token := range strings.FieldsSeq(parts[3]) {
		if err := r.readOption(token); err != nil {
			return err
		}
	}
	return t.name(r, parts[0])
}

func (t *Table) name(r *Row, names string) error {
	programs, verbs, sub := strings.Cut(names, ">")
	for program := range strings.FieldsSeq(programs) {
		if !sub {
			if err := t.set(program, Entry{Row: r}); err != nil {
				return err
			}
			continue
		}
		for group := range strings.FieldsSeq(verbs) {
			full, _, _ := strings.Cut(group, "/")
			for verb := range strings.SplitSeq(group, "/") {
				if err := t.set(subName(program, verb), Entry{Row: r, Verb: full}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// subName is the key of a subcommand; "git.stash" and
// "docker.compose" have subcommands too.
func subName(program, verb string) string {
	if first, second, ok := strings.Cut(program, "."); ok && slices.Contains([]string{"git", "python", "docker", "podman"}, first) {
		program = first + " " + second
	}
	return program + " " + verb
}

func (t *Table) set(name string, e Entry) error {
	if t.rows[name].Row != nil {
		return fmt.Errorf("%s has a row already", name)
	}
	t.rows[name] = e
	return nil
}

func (r *Row) readFlags(tokens []string) error {
	for _, token := range tokens {
		key, value, _ := strings.Cut(token, "=")
		switch key {
		case "any":
			r.Flags.Any = true
		case "stop":
			r.Flags.Stop = true
		case "words":
			r.Flags.Words = true
		case "more":
			r.Flags.More = true
		case "net":
			r.Flags.Net = true
		case "verbs":
			r.Flags.Verbs = true
		case "asks":
			r.Flags.Asks = true
		case "assigns":
			r.Flags.Assigns = true
		case "pluscmd":
			r.Flags.Pluscmd = true
		case "away":
			r.Flags.Away = true
		case "login":
			r.Flags.Login = true
		case "settings":
			r.Flags.Settings = true
		case "sharp":
			r.Sharp = true
		case "special":
			r.Special = value
		case "alone":
			r.Alone = value
		case "scheme":
			r.Scheme = value
		default:
			return fmt.Errorf("unknown flag %q", token)
		}
	}
	return nil
}

func readOperands(tokens []string) (Operands, error) {
	var o Operands
	for _, token := range tokens {
		use := o.read(token)
		if _, ok := Sharpness(use); !ok {
			return o, fmt.Errorf("unknown use %q", use)
		}
	}
	return o, nil
}

// read takes in one token and returns the use that it names.
func (o *Operands) read(token string) (use string) {
	where, use, _ := strings.Cut(token, ":")
	switch where {
	case "last":
		o.Last = use
	case "here":
		o.Here = use
	case "deep":
		o.Deep = use
	case "else1":
		o.One = use
	case "also":
		o.Also = append(o.Also, use)
	default:
		if rest, ok := strings.CutSuffix(token, "*"); ok {
			o.Rest = rest
			return rest
		}
		o.Uses = append(o.Uses, token)
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
func (r *Row) readOption(token string) error {
	at := strings.IndexAny(token, "=?>:")
	if at < 0 {
		r.Options[token] = Option{}
		return nil
	}
	name, rest := token[:at], token[at+1:]
	var o Option
	switch token[at] {
	case '=':
		o.Value = NeedsValue
		if second, ok := strings.CutPrefix(rest, "="); ok {
			o.Value, rest = TwoValues, second
		}
		if letter, ok := strings.CutPrefix(rest, ":"); ok {
			o.Tag, rest = letter, ""
		}
		o.Use = rest
	case '?':
		use, with, changes := strings.Cut(rest, ">")
		o.Value, o.Use = MayHaveValue, use
		if changes {
			instead, err := readOperands(strings.Split(with, ","))
			if err != nil {
				return err
			}
			o.Instead = &instead
		}
	case '>':
		instead, err := readOperands(strings.Split(rest, ","))
		if err != nil {
			return err
		}
		o.Instead = &instead
	case ':':
		if !isTag(rest) {
			return fmt.Errorf("unknown tag %q", rest)
		}
		o.Tag = rest
	}
	if o.Use != "" {
		sharp, ok := Sharpness(o.Use)
		if !ok {
			return fmt.Errorf("unknown use %q", o.Use)
		}
		r.Sharp = r.Sharp || sharp
	}
	r.Sharp = r.Sharp || o.Tag == "opaque" || o.Tag == "code" || o.Instead != nil && sharper(*o.Instead, r.Operands)
	if _, ok := r.Options[name]; ok {
		return fmt.Errorf("option %s twice", name)
	}
	r.Options[name] = o
	return nil
}

// sharper reports whether operands are used for more with an option.
func sharper(with, without Operands) bool {
	sharp := func(o Operands) bool {
		for _, name := range append([]string{o.Rest, o.Last, o.Here}, o.Uses...) {
			if is, _ := Sharpness(name); is {
				return true
			}
		}
		return false
	}
	return sharp(with) && !sharp(without)
}

// Sharpness says whether a use changes or runs something, and whether there is
// such a use.
func Sharpness(use string) (sharp, ok bool) {
	switch use {
	case "data", "pattern", "patterns", "read", "reads", "list", "lists", "@read", "name@read", "form", "plus", "chdir", "mark",
		"awkarg", "into", "cookie", "operands":
		return false, true
	case "write", "writes", "attr", "attrs", "edit", "edits", "delete", "deletes", "scrap", "consume", "prefix",
		"host", "url", "source", "dest", "rcpt", "query", "repo", "script", "code", "run", "sh", "sh+", "split", "gitcfg",
		"awk", "sed", "suffix", "pipefile", "opaque", "more", "tree", "discard", "derive", "unpack", "mount", "gitremote",
		"template", "rsh", "xprefix", "sshset":
		return true, true
	}
	return false, false
}

func isTag(s string) bool {
	switch s {
	case "more", "opaque", "code", "net", "ends", "deep", "follow", "stdin", "purge", "drain", "login", "link", "backup":
		return true
	}
	return len(s) == 1 // a long name for a letter of tar
}

// Has reports whether the row lists the option.
func (r *Row) Has(option string) bool {
	_, ok := r.Options[option]
	return ok
}

// Find looks an option up by its name, or a long one by what it starts with.
func (r *Row) Find(name string) (Option, string, bool) {
	if o, ok := r.Options[name]; ok {
		return o, name, true
	}
	if !strings.HasPrefix(name, "--") || len(name) < 3 {
		return Option{}, "", false
	}
	// An abbreviation stands for what matters most among the options it fits.
	best, key := Option{}, ""
	for full, o := range r.Options {
		if strings.HasPrefix(full, name) && (key == "" || weight(o) > weight(best) || weight(o) == weight(best) && full < key) {
			best, key = o, full
		}
	}
	return best, key, key != ""
}

func weight(o Option) int {
	sharp, _ := Sharpness(o.Use)
	switch {
	case sharp || o.Tag == "opaque" || o.Tag == "code":
		return 3
	case o.Instead != nil || o.Tag != "":
		return 2
	case o.Value != NoValue:
		return 1
	}
	return 0
}

// UseOf returns what the operand at i of n is for.
func (o *Operands) UseOf(i, n int) string {
	switch {
	case i < len(o.Uses):
		return o.Uses[i]
	case o.Last != "" && i == n-1 && i > 0:
		return o.Last
	}
	return o.Rest
}
