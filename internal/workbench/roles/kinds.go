// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package roles

import (
	"fmt"
	"maps"
	"slices"

	tv "github.com/toolverdict/toolverdict"
)

func (g *guesser) email(a argument, value *node) (Guess, bool) {
	named := has(a.name, "email", "emails", "mail", "recipient", "recipients", "addressee", "addressees", "mailto")
	field := has(a.name, "to", "cc", "bcc")
	mails := has(g.about, "mail", "email", "emails", "message", "invite", "invitation") != ""
	switch {
	case value.Format == "email" || value.Format == "idn-email":
		named = "format " + value.Format
	case named != "":
		named = "the name has " + named
	case field != "" && len(a.name) == 1 && mails:
		named = "the name is " + field + ", and the tool sends mail"
	default:
		return Guess{}, false
	}
	if has(a.name, "from", "sender", "reply") != "" {
		return Guess{}, false // it receives nothing
	}
	return Guess{Role: tv.Role{Kind: tv.RoleEmail, Field: field}, Why: named}, true
}

func (g *guesser) url(a argument, value *node) (Guess, bool) {
	var why string
	switch named := has(a.name, "url", "urls", "uri", "uris", "href", "webhook", "endpoint", "link"); {
	case value.Format == "uri" || value.Format == "url" || value.Format == "uri-reference" || value.Format == "iri":
		why = "format " + value.Format
	case named != "":
		why = "the name has " + named
	default:
		return Guess{}, false
	}
	return Guess{Role: tv.Role{Kind: tv.RoleURL}, Why: why, Ask: "does the tool connect there itself? add resolve: true where names that lead inside must be seen"}, true
}

// dialects are words that name a database, and its dialect.
var dialects = map[string]string{ //nolint:gochecknoglobals // a table, never changed
	"postgres": "postgres", "postgresql": "postgres", "pg": "postgres", "timescale": "postgres", "cockroach": "postgres", "redshift": "postgres",
	"mysql": "mysql", "mariadb": "mysql", "sqlite": "sqlite", "sqlite3": "sqlite",
}

func (g *guesser) sql(a argument, _ *node) (Guess, bool) {
	named := has(a.name, "sql")
	dialect := ""
	for _, w := range g.about {
		if d := dialects[w]; d != "" {
			dialect = d
			break
		}
	}
	if named == "" && has(a.name, "query", "statement", "queries", "statements") != "" && (dialect != "" || has(g.about, "sql", "database", "db") != "") {
		named = last(a.name) + ", and the tool is about a database"
	}
	if named == "" {
		return Guess{}, false
	}
	guess := Guess{Role: tv.Role{Kind: tv.RoleSQL, Dialect: dialect}, Why: "the name has " + named}
	if dialect == "" {
		guess.Role.Dialect, guess.Ask = "postgres", "which database is it? nothing says so; use sql:postgres, sql:mysql or sql:sqlite"
	}
	return guess, true
}

func (g *guesser) shell(a argument, _ *node) (Guess, bool) {
	named := has(a.name, "command", "commands", "cmd", "cmdline", "commandline", "bash", "shell")
	runs := has(g.about, "shell", "bash", "terminal", "exec", "execute", "run", "command", "process")
	if named == "" || runs == "" {
		return Guess{}, false
	}
	role := tv.Role{Kind: tv.RoleShell}
	for _, beside := range slices.Sorted(maps.Keys(a.beside)) {
		if w := words(beside); has(w, "cwd", "workdir") != "" || has(w, "working", "work") != "" && has(w, "dir", "directory") != "" {
			role.BaseFrom = a.pointer[:len(a.pointer)-len(lastStep(a.pointer))] + beside
			break
		}
	}
	return Guess{Role: role, Why: "the name has " + named, Ask: "does a shell read it? which one, and where does it start? set place: {root: …}"}, true
}

// lastStep is the last step of a pointer, without its slash.
func lastStep(pointer string) string {
	for i := len(pointer) - 1; i >= 0; i-- {
		if pointer[i] == '/' {
			return pointer[i+1:]
		}
	}
	return pointer
}

func (g *guesser) code(a argument, _ *node) (Guess, bool) {
	named := has(a.name, "code", "script", "program", "javascript", "python", "expression")
	if named == "" || has(g.about, "run", "execute", "eval", "evaluate", "exec", "python", "javascript", "notebook", "interpreter") == "" {
		return Guess{}, false
	}
	language := has(slices.Concat(a.name, g.about), "python", "javascript", "typescript", "ruby", "r")
	return Guess{Role: tv.Role{Kind: tv.RoleCode, Dialect: language}, Why: "the name has " + named}, true
}

// uses are what verbs in a tool's name say of the paths it is given.
var uses = []struct { //nolint:gochecknoglobals // a table, never changed
	use   string
	verbs []string
}{
	{"list", []string{"list", "ls", "tree", "glob", "stat", "info", "exists"}},
	{"read", []string{"read", "get", "view", "cat", "open", "load", "search", "grep", "find", "head", "tail", "diff", "upload", "send", "attach", "parse", "copy", "edit"}},
	{"write", []string{"write", "create", "save", "edit", "append", "put", "mkdir", "touch", "patch", "replace", "insert", "download", "export", "update", "set", "chmod"}},
	{"delete", []string{"delete", "remove", "rm", "unlink", "rmdir", "trash", "purge"}},
}

func (g *guesser) path(a argument, value *node) (Guess, bool) {
	named := has(a.name, "path", "paths", "filepath", "filename", "file", "files", "dir", "directory", "directories", "folder", "cwd", "workdir", "workspace", "root")
	moves := has(g.words, "move", "mv", "rename", "copy", "cp") != ""
	end := has(a.name, "source", "src", "destination", "dest", "dst", "target")
	switch {
	case named != "" && has(a.name, "id", "ids", "type", "count", "size", "mode", "content", "encoding", "format", "pattern") == "":
		named = "the name has " + named
	case end != "" && moves:
		named = "the name has " + end + ", and the tool moves or copies"
	default:
		return Guess{}, false
	}
	role := tv.Role{Kind: tv.RolePath, Uses: g.usesOf(a, moves, end)}
	guess := Guess{Role: role, Why: named, Ask: "which folder does it work in? set place: {root: …}"}
	if len(role.Uses) == 0 {
		guess.Ask = "what does the tool do with it? add uses: [read, write, delete, list]; " + guess.Ask
	}
	return guess, true
}

func (g *guesser) usesOf(a argument, moves bool, end string) []string {
	switch {
	case has(a.name, "cwd", "workdir") != "":
		return []string{"list"}
	case moves && (end == "source" || end == "src"):
		if has(g.words, "copy", "cp") != "" {
			return []string{"read"}
		}
		return []string{"read", "delete"}
	case moves && end != "":
		return []string{"write"}
	case moves:
		return nil
	}
	var out []string
	for _, u := range uses {
		if has(g.words, u.verbs...) != "" {
			out = append(out, u.use)
		}
	}
	return out
}

// header finds text that goes into the head of a message.
func (g *guesser) header(a argument, _ *node) (Guess, bool) {
	if last(a.name) != "subject" || has(g.about, "mail", "email", "emails", "message") == "" {
		return Guess{}, false
	}
	return Guess{Role: tv.Role{Kind: tv.RoleHeader}, Why: "the name has subject, and the tool sends mail"}, true
}

func (g *guesser) money(a argument) (Guess, bool) {
	named := has(a.name, "amount", "price", "total", "cost", "fee", "payment", "refund", "salary", "budget", "cents")
	if named == "" || has(a.name, "count", "id", "type", "status", "reason", "method") != "" {
		return Guess{}, false
	}
	role := tv.Role{Kind: tv.RoleMoney, Minor: has(a.name, "cents", "minor") != ""}
	guess := Guess{Role: role, Why: "the name has " + named}
	for _, beside := range slices.Sorted(maps.Keys(a.beside)) {
		if has(words(beside), "currency") != "" {
			guess.Role.CurrencyFrom = a.pointer[:len(a.pointer)-len(lastStep(a.pointer))] + beside
			return guess, true
		}
	}
	guess.Ask = "in which currency? add currency: CODE"
	if !role.Minor {
		guess.Ask += fmt.Sprintf(", and minor: true where %s is in cents", a.pointer)
	}
	return guess, true
}
