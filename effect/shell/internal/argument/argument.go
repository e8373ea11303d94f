// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package argument knows what an argument says when the program that gets it is
// one that builds, or git: whether a path in it leads out of the folder, whether
// a linker's options name a command, whether a word names a commit. It knows nothing of words that are not known.
//
// It fails towards harm: what it cannot tell is not harmless.
package argument

import (
	"slices"
	"strings"
)

// Plain reports whether a text is a name or a number and cannot be a path to
// elsewhere, nor two options in one.
func Plain(text string) bool {
	return !strings.ContainsAny(text, "/\\,@~$`;&|<>\n") && text != ".."
}

// Within reports whether no path in a text leads out of the folder that the
// command runs in.
func Within(text string) bool {
	places, ok := Places(text)
	return ok && len(places) == 0
}

// Places returns the absolute paths in a text; not ok where a path leads to a
// place that the text alone does not tell.
func Places(text string) (places []string, ok bool) {
	if strings.ContainsAny(text, "~\\\x00") || strings.HasPrefix(text, "@") {
		return nil, false
	}
	for part := range strings.FieldsFuncSeq(text, separates) {
		if len(part) > 2 && part[0] == '-' && part[1] != '-' && !strings.HasPrefix(part, "-..") {
			part = part[2:] // -o/elsewhere
		}
		if slices.Contains(strings.Split(part, "/"), "..") {
			return nil, false
		}
		if strings.HasPrefix(part, "/") {
			places = append(places, part)
		}
	}
	return places, true
}

// Variable reports whether a variable in the environment of a program that
// builds leads nowhere but to the places that are fine.
func Variable(name, text string, fine func(place string) bool) bool {
	name = strings.ToUpper(name)
	if scheme, rest, ok := strings.Cut(text, "://"); ok && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+") == "" {
		source := strings.Contains(name, "PROXY") || strings.Contains(name, "REGISTRY") || strings.Contains(name, "INDEX")
		return !source && scheme != "file" && !strings.ContainsAny(rest, " ,;")
	}
	places, ok := Places(text)
	passing := strings.Contains(name, "CACHE") || strings.Contains(name, "TMP")
	return ok && !slices.ContainsFunc(places, func(place string) bool {
		return !fine(place) && !(passing && strings.HasPrefix(place, "/tmp/"))
	})
}

// separates reports whether a path may start behind a character.
func separates(c rune) bool { return strings.ContainsRune("=,:;'\" \t\n()", c) }

// Linker reports whether flags for Go's linker only leave things out and set
// variables.
func Linker(flags string) bool {
	fields := strings.Fields(flags)
	for i := 0; i < len(fields); i++ {
		switch f := strings.Trim(fields[i], "'\""); {
		case f == "-s" || f == "-w" || strings.HasPrefix(f, "-X=") || strings.HasPrefix(f, "-buildid="):
		case f == "-X":
			i++
		default:
			return false
		}
	}
	return true
}

// Lint reports whether an argument behind "--" is one that clippy, rustfmt and
// test programs take for what they report.
func Lint(text string) bool {
	if !Plain(text) {
		return false
	}
	switch name, _, _ := strings.Cut(text, "="); name {
	case "--check", "--nocapture", "--no-capture", "--test-threads", "--ignored", "--include-ignored", "--exact", "--skip",
		"--show-output", "--quiet", "--list", "--cap-lints", "--warn", "--deny", "--allow", "--forbid", "--edition":
		return true
	}
	return !strings.HasPrefix(text, "-") || len(text) > 1 && strings.IndexByte("DAWFqv", text[1]) >= 0
}

// Phase reports whether a goal of Maven is a phase that stays on this machine.
func Phase(goal string) bool {
	switch goal {
	case "validate", "initialize", "generate-sources", "process-sources", "generate-resources", "process-resources", "compile",
		"process-classes", "generate-test-sources", "generate-test-resources", "test-compile", "test", "package",
		"integration-test", "verify", "clean":
		return true
	}
	return false
}

// Commit reports whether a word names a commit, or a range, and no file.
func Commit(text string) bool {
	if first, second, ok := strings.Cut(text, ".."); ok {
		return Commit(first) && Commit(strings.TrimPrefix(second, "."))
	}
	text = strings.TrimPrefix(text, "^")
	if at := strings.IndexAny(text, "~^@"); at >= 0 {
		text = text[:at]
	}
	switch text {
	case "", "HEAD", "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD", "main", "master", "origin/main", "origin/master":
		return true
	}
	return len(text) >= 7 && strings.Trim(text, "0123456789abcdef") == ""
}

// wild are the signs that make a pathspec of git a pattern.
const wild = `*?[\`

// SurelyPath reports whether a word that git takes for a commit or for a file
// can be no commit's name.
func SurelyPath(text string) bool {
	switch {
	case text == "..", strings.HasPrefix(text, "../"), strings.HasPrefix(text, "/"), strings.HasPrefix(text, ":"):
		return true
	case strings.Contains(text, ".."):
		return false
	}
	return strings.HasPrefix(text, ".") || strings.HasSuffix(text, "/") || strings.ContainsAny(text, wild+" ")
}

// Pathspec reads what limits git to some files: at which byte the path starts;
// of a pattern, the folder that it is surely in; and whether it may be all
// files, as where it says which not.
func Pathspec(text string) (at int, folder string, all bool) {
	magic := ""
	if strings.HasPrefix(text, ":(") {
		if at = strings.IndexByte(text, ')') + 1; at == 0 {
			return 0, "", true
		}
		magic = text[2 : at-1]
	} else if strings.HasPrefix(text, ":") {
		at = len(text) - len(strings.TrimLeft(text[1:], "0123:/!^"))
		magic = text[1:at]
	}
	if sign := strings.IndexAny(text[at:], wild); sign >= 0 && !strings.Contains(magic, "literal") {
		start := text[at : at+sign]
		folder = "./" + start[:strings.LastIndexByte(start, '/')+1]
	}
	all = strings.ContainsAny(magic, "!^") || strings.Contains(magic, "exclude") || strings.Contains(magic, "icase") ||
		strings.Contains(magic, "attr") || at > 0 && at == len(text)
	return at, folder, all
}

// Nearest is the name that a pattern picks where its stars stand for nothing,
// which whoever writes "**/.env" means; "" where that is no name.
func Nearest(pattern string) string {
	name := strings.ReplaceAll(pattern[strings.LastIndexByte(pattern, '/')+1:], "*", "")
	if strings.ContainsAny(name, wild) {
		return ""
	}
	return name
}
