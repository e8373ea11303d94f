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

//go:embed git.txt
var gitText string

//go:embed builders.txt
var buildersText string

// Table is the files of rows, read. It does not change.
type Table struct {
	rows  map[string]Entry
	lists map[string]string // options that several rows share, by "@name"
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
	Syntax
	Builds bool // it runs what the workspace says; an option or subcommand that is not listed may reach elsewhere
	More   bool // it does more than files and hosts
	Net    bool // it connects, to hosts that its arguments may not tell
	Asks   bool // without code or a script it takes commands from standard input
	Away   bool // what it runs, it runs elsewhere
	Login  bool // everything starts from a folder that is not known

	Settings bool // it reads files of settings that may name commands
}

// Syntax is how a command reads its arguments.
type Syntax struct {
	Raw     bool // it has no options: every word is an operand
	Passes  bool // options that are not listed are operands: it hands them on
	Stop    bool // options end at the first operand
	Words   bool // a single dash starts a long option
	Joins   bool // with Words: a value may stand right behind a single letter
	Verbs   bool // the first operand is a subcommand
	Pluscmd bool // an operand that starts with + is a command of its own
	Assigns bool // NAME=VALUE before the command is its environment
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
	All  bool // all that the repository has, when no operand says for sure which of its files
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
	t := &Table{rows: map[string]Entry{}, lists: map[string]string{}}
	for _, file := range []struct{ name, text string }{
		{"programs.txt", programsText}, {"git.txt", gitText}, {"builders.txt", buildersText},
	} {
		if err := t.load(file.text); err != nil {
			return nil, fmt.Errorf("read %s: %v", file.name, err)
		}
	}
	return t, nil
}

// load reads one file. A line that starts with a blank goes on with the one
// before it.
func (t *Table) load(text string) error {
	row, start := "", 0
	for i, line := range strings.Split(text+"\n.", "\n") {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if strings.HasPrefix(line, " ") && row != "" {
			row += line
			continue
		}
		if row != "" {
			if err := t.add(row); err != nil {
				return fmt.Errorf("line %d: %v", start, err)
			}
		}
		row, start = line, i+1
	}
	return nil
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
	if list := strings.TrimSpace(parts[0]); strings.HasPrefix(list, "@") {
		t.lists[list] = parts[3]
		return nil
	}
	r := &Row{Options: map[string]Option{}}
	if err := r.readFlags(strings.Fields(parts[1])); err != nil {
		return err
	}
	var err error
	if r.Operands, err = readOperands(strings.Fields(parts[2])); err != nil {
		return err
	}
	if err := t.readOptions(r, parts[3]); err != nil {
		return err
	}
	return t.name(r, parts[0])
}

// readOptions reads a column of options: tokens, -[abc] for -a -b -c,
// --{one,two} for --one --two, and @names of lists.
func (t *Table) readOptions(r *Row, column string) error {
	var shared []string
	for token := range strings.FieldsSeq(column) {
		if list, ok := t.lists[token]; ok {
			shared = append(shared, list)
			continue
		}
		for _, one := range spread(token) {
			if err := r.readOption(one); err != nil {
				return err
			}
		}
	}
	for _, list := range shared {
		s := &Row{Options: map[string]Option{}}
		if err := t.readOptions(s, list); err != nil {
			return err
		}
		for name, o := range s.Options {
			if !r.Has(name) { // the row's own word counts
				r.Options[name] = o
			}
		}
		r.Sharp = r.Sharp || s.Sharp
	}
	return nil
}

// spread returns the tokens that one with a set stands for.
func spread(token string) []string {
	start := strings.IndexAny(token, "[{")
	end := strings.IndexAny(token, "]}")
	if start < 1 || end < start || strings.Trim(token[:start], "-") != "" {
		return []string{token}
	}
	names := strings.Split(token[start+1:end], ",")
	if token[start] == '[' {
		names = strings.Split(token[start+1:end], "")
	}
	for i, name := range names {
		names[i] = token[:start] + name + token[end+1:]
	}
	return names
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
	if first, second, ok := strings.Cut(program, "."); ok && slices.Contains([]string{"git", "python", "docker", "podman", "go", "yarn"}, first) {
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
		case "raw":
			r.Flags.Raw = true
		case "builds":
			r.Flags.Builds, r.Flags.More, r.Sharp = true, true, true
		case "passes":
			r.Flags.Passes = true
		case "stop":
			r.Flags.Stop = true
		case "words":
			r.Flags.Words = true
		case "joins":
			r.Flags.Joins = true
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
	case "all":
		o.All, use = true, "data"
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
//	-x=USE>A,B*  a value, and which operands are A, then B
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
	name, rest, with := token[:at], token[at+1:], false
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
		o.Use, rest, with = strings.Cut(rest, ">")
	case '?':
		o.Value = MayHaveValue
		o.Use, rest, with = strings.Cut(rest, ">")
	case '>':
		with = true
	case ':':
		if !isTag(rest) {
			return fmt.Errorf("unknown tag %q", rest)
		}
		o.Tag = rest
	}
	if with {
		instead, err := readOperands(strings.Split(rest, ","))
		if err != nil {
			return err
		}
		o.Instead = &instead
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
	case "data", "pattern", "patterns", "read", "reads", "globbed", "list", "lists", "@read", "name@read", "form", "plus", "chdir", "mark",
		"awkarg", "into", "cookie", "operands", "tracked", "trackeds", "tracknames", "jq", "jqfile",
		"plain", "within", "folder", "phase", "ldflags", "lintarg":
		return false, true
	case "write", "writes", "numbered", "attr", "attrs", "edit", "edits", "delete", "deletes", "scrap", "consume", "prefix",
		"host", "url", "source", "dest", "rcpt", "query", "repo", "script", "code", "run", "sh", "sh+", "split", "gitcfg",
		"awk", "sed", "suffix", "pipefile", "opaque", "more", "tree", "discard", "derive", "unpack", "mount", "gitremote",
		"template", "rsh", "xprefix", "sshset", "stem", "archive", "input", "target", "fetch", "gopkg",
		"self", "selfrun", "work", "built":
		return true, true
	}
	return false, false
}

func isTag(s string) bool {
	switch s {
	case "more", "opaque", "code", "net", "ends", "deep", "follow", "stdin", "purge", "drain", "login", "link", "backup", "rest":
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
	if !strings.HasPrefix(name, "--") || len(name) < 3 || r.Flags.Builds || r.Flags.Words {
		return Option{}, "", false // of programs that take no abbreviations
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
