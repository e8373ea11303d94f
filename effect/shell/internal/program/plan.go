// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import "github.com/toolverdict/toolverdict/effect/shell/internal/word"

// Plan is what one command would do.
type Plan struct {
	Verb    string      // the subcommand, by its full name
	Spelled []word.Word // of a command with subcommands: its words, each option by itself and by its full name
	Known   bool        // files and hosts are all in Uses, commands all in Runs; false when in doubt
	Uses    []Use
	Runs    []Run
	Moves   []Move
	Opaque  []string // reasons: it does something that cannot be said
	Stdin   Shell    // it reads commands from its standard input

	Settings bool // it reads files of settings that may name commands
	Careful  bool // the files in Uses get no settings from it
	Builds   bool // it runs what the folder holds, as its arguments and environment say
}

// Kind says how a program uses a word.
type Kind uint8

// Kinds.
const (
	Read      Kind = iota + 1
	Names          // lists, or looks at everything but the content
	Write          // changes the content, or makes the file
	Attribute      // changes everything but the content
	Delete
	Script     // runs the file
	Repository // writes the git repository of the folder
	Host       // connects to it
	URL        // connects to where it says, or reads where it is a file: URL
	Recipient  // sends it a message
	Query      // hands a statement to a database
)

// Use is one word and what becomes of it.
type Use struct {
	Kind   Kind
	Word   word.Word
	Deep   bool   // of a path: with everything below it
	Scheme string // of a host: how it is spoken to
	Port   word.Word
	Top    word.Word // of a path that starts at the top of a repository: a folder in it
}

// Run is a command that a program starts. It is an argument list, or text for
// a shell.
type Run struct {
	Argv  []word.Word
	Text  word.Word
	Args  []word.Word // with Text: $0 and on
	Shell Shell       // with Text: who reads it
	Away  bool        // on another machine, or in another file system
	Dir   word.Word   // where it starts, when not here
	Env   []word.Word // NAME=VALUE, set for it
}

// Shell says which shell reads a text.
type Shell uint8

// Shells. POSIX may be any of them, as /bin/sh may.
const (
	NoShell Shell = iota
	Bash
	POSIX
	Korn    // zsh or ksh, which read plain text as the others do
	Foreign // none that we can read
)

// Move is a file that gets another name, or one more.
type Move struct {
	From, To word.Word
	Into     bool // To is a folder for certain
	Link     bool
}

func (p *Plan) use(kind Kind, w word.Word) { p.Uses = append(p.Uses, Use{Kind: kind, Word: w}) }
func (p *Plan) deep(kind Kind, w word.Word) {
	p.Uses = append(p.Uses, Use{Kind: kind, Word: w, Deep: true})
}

func (p *Plan) opaque(why string) {
	p.Known = false
	p.Opaque = append(p.Opaque, why)
}

// connect notes a connection to some host.
func (p *Plan) connect() { p.Uses = append(p.Uses, Use{Kind: Host, Word: word.Unknown()}) }
