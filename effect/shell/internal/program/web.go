// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"strings"

	"github.com/toolverdict/toolverdict/effect/shell/internal/remote"
	"github.com/toolverdict/toolverdict/effect/shell/internal/setting"
	"github.com/toolverdict/toolverdict/effect/shell/internal/table"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// wget notes that wget follows redirects unless told not to.
func (r *reading) wget(args []word.Word) bool {
	for i, w := range args {
		s, _ := w.Static()
		if s == "--max-redirect=0" || s == "--max-redirect" && i+1 < len(args) && args[i+1].Text == "0" {
			return false
		}
	}
	r.follow = true
	return false
}

// applyRemote notes a connection, or the path that stands in its place.
func (r *reading) applyRemote(use string, w word.Word) {
	p := r.plan
	switch use {
	case "host":
		p.Uses = append(p.Uses, Use{Kind: Host, Word: w, Scheme: r.row.Scheme})
	case "url":
		text, ok := w.Static()
		if file, is := remote.FileURL(text); ok && is {
			p.use(Read, file)
			r.local = true
			return
		}
		p.Uses = append(p.Uses, Use{Kind: URL, Word: w, Scheme: r.row.Scheme})
	case "source", "dest":
		r.copyOver(use, w)
	case "gitremote":
		r.gitRemote(w)
	case "rcpt":
		p.use(Recipient, w)
	case "query":
		r.coded = true
		p.use(Query, w)
		if text, ok := w.Static(); ok && clientCommand(strings.TrimSpace(text)) {
			p.opaque("a command of " + r.name + " itself, which may run programs")
		}
	}
}

// clientCommand reports whether a text may hold a command for the database's
// client: ".shell x", "\\! x", "system x".
func clientCommand(text string) bool {
	return strings.HasPrefix(text, ".") || strings.Contains(text, "\n.") || strings.Contains(text, `\`) ||
		len(text) > 6 && strings.EqualFold(text[:6], "system")
}

// copyOver reads a path, or host:path, or a URL, of scp and rsync.
func (r *reading) copyOver(use string, w word.Word) {
	p := r.plan
	kind := Read
	if use == "dest" {
		kind = Write
	}
	local := w
	host, away, open := remote.Split(w)
	if open || away {
		scheme := r.row.Scheme
		if head := w.Prefix(); strings.HasPrefix(head, "rsync://") || strings.Contains(head, "::") {
			scheme = "rsync"
		}
		p.Uses = append(p.Uses, Use{Kind: Host, Word: host, Scheme: scheme})
	}
	here := away && remote.IsHere(host)
	if away {
		local = word.Unknown()
		if _, path, _ := strings.Cut(w.Prefix(), ":"); here && strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") {
			local = w.Cut(len(w.Prefix()) - len(path))
		}
	}
	if !away || here {
		p.Uses = append(p.Uses, Use{Kind: kind, Word: local, Deep: r.deep})
		if use == "dest" {
			p.Uses = append(p.Uses, Use{Kind: kind, Word: word.Inside(local, word.Unknown())})
		}
	}
	if r.purge && use == "dest" || r.drain && use == "source" {
		p.deep(Delete, local)
	}
}

// gitRemote reads a repository: a URL, host:path, a path, or a name from the
// settings. A transport of its own (ext::command) runs what it likes.
func (r *reading) gitRemote(w word.Word) {
	p := r.plan
	head := w.Prefix()
	host, away, open := remote.Split(w)
	switch {
	case strings.Contains(w.Text, "::"), head == "" && w.FromData():
		p.opaque("the address of the repository may name a command")
	case strings.HasPrefix(head, "file://"):
		p.deep(Read, w.Cut(len("file://")))
		r.local = true
	case strings.Contains(head, "://"):
		p.Uses = append(p.Uses, Use{Kind: URL, Word: w})
		r.gitHere(host)
	case away:
		p.Uses = append(p.Uses, Use{Kind: Host, Word: host, Scheme: "ssh"})
		r.gitHere(host)
	case !open && (strings.HasPrefix(head, "/") || strings.HasPrefix(head, ".")):
		p.deep(Read, w)
		r.local = true
	default:
		p.connect()
	}
}

// gitHere notes that a repository on this machine is read, somewhere.
func (r *reading) gitHere(host word.Word) {
	if remote.IsHere(host) {
		r.plan.deep(Read, word.Unknown())
	}
}

// Transport reads a command that others talk through, such as "ssh -p 22"; not
// ok where it is not plain, or another program.
func (t *Table) Transport(w word.Word) (plan Plan, ok bool) {
	s, ok := w.Static()
	fields := strings.Fields(s)
	if !ok || len(fields) == 0 || fields[0] != "ssh" || strings.ContainsAny(s, "\"'\\$`;&|<>()\n") {
		return Plan{}, false
	}
	r := &reading{table: t, row: &table.Row{}, name: "ssh", plan: &plan}
	plan.Known = true
	r.rsh(w)
	return plan, true
}

// rsh reads the command that rsync talks through.
func (r *reading) rsh(w word.Word) {
	s, ok := w.Static()
	fields := strings.Fields(s)
	if !ok || len(fields) == 0 || strings.ContainsAny(s, `"'\$`+"`") {
		r.plan.opaque("the command that " + r.name + " connects with is not known")
		return
	}
	if fields[0] != "ssh" {
		r.splitCommand(w)
		return
	}
	for i := 1; i < len(fields); i++ {
		f := fields[i]
		if len(f) < 2 || f[0] != '-' {
			r.plan.opaque("the command that " + r.name + " connects with is not known")
			return
		}
		value := f[2:]
		if value == "" && strings.IndexByte(sshValues, f[1]) >= 0 && i+1 < len(fields) {
			i++
			value = fields[i]
		}
		r.sshOption(f[:2], word.Lit(value))
	}
}

// gitConfigCommand reads "git config ...": it reads, or writes a setting.
func (r *reading) gitConfigCommand(args []word.Word) bool {
	r.readOptions(args)
	writes := len(r.operands) > 1 || len(r.instead) > 0
	if len(r.operands) > 0 {
		switch s, _ := r.operands[0].Static(); s {
		case "get", "list", "get-regexp", "get-color":
			writes = false
		case "set", "unset", "rename-section", "remove-section", "edit":
			writes = true
		}
	}
	if !writes {
		return true
	}
	r.plan.Known = false
	if where, ok := settingsFile(args); ok {
		r.plan.use(Write, where)
	} else {
		r.plan.use(Repository, word.Lit("."))
	}
	r.laterCommand()
	return true
}

// settingsFile returns the file that git config changes when it is not the
// repository's own.
func settingsFile(args []word.Word) (word.Word, bool) {
	for _, w := range args {
		switch s, _ := w.Static(); s {
		case "--global":
			return word.Unknown(), true // ~/.gitconfig, or below XDG_CONFIG_HOME
		case "--system":
			return word.Lit("/etc/gitconfig"), true
		}
	}
	return word.Word{}, false
}

// laterCommand refuses settings that a later command of git would run, or
// that change where it connects.
func (r *reading) laterCommand() {
	words := r.operands
	if len(words) > 0 && words[0].Text == "set" {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	key, ok := words[0].Static()
	value := ""
	if len(words) > 1 {
		value, _ = words[1].Static()
	}
	section, name, _ := strings.Cut(strings.ToLower(key), ".")
	if ok && (setting.Git(section, name, value) || !strings.Contains(key, ".")) {
		return
	}
	if section == "alias" && ok && value != "" && !strings.HasPrefix(value, "!") {
		return // another of git's own
	}
	r.plan.opaque("a setting that changes what git runs or where it connects later")
}

// gitConfig reads the setting of git -c: most change what git runs.
func (r *reading) gitConfig(w word.Word) {
	key, value, _ := strings.Cut(w.Prefix(), "=")
	static, ok := w.Static()
	section, name, _ := strings.Cut(strings.ToLower(key), ".")
	if (len(key) < len(w.Prefix()) || ok) && setting.Git(section, name, value) {
		return
	}
	r.plan.opaque("a setting of git -c changes what git runs or where it connects")
	if _, value, has := strings.Cut(static, "="); ok && has {
		r.plan.Runs = append(r.plan.Runs, Run{Text: word.Lit(strings.TrimPrefix(value, "!")), Shell: POSIX})
	}
}
