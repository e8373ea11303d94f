// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package word

import (
	"path"
	"strings"
)

// Target is what a word names on disk.
type Target struct {
	Path    string // absolute and cleaned; "" is not known
	Deep    bool   // Path or something below it
	Pattern string // with Deep: the absolute glob of what is meant, "" for anything below
	Stream  bool   // not a file: a descriptor that is already open, or a sink such as /dev/null
}

// Links are the links that the same text made earlier.
type Links interface {
	// Follow returns what a path was made a link to; "" is not known.
	Follow(path string) (target string, made bool)
	// Below reports whether a link was made somewhere below a folder.
	Below(dir string) bool
}

// Resolve returns what the word names when the working directory is base; an
// empty base is not known. Folders that exist only on disk are not looked at.
func Resolve(base string, w Word, links Links) Target {
	if w.Open() || w.Text == "" || !startsKnown(w.Text) {
		return Target{}
	}
	r := resolver{base: base, links: links, dir: base, open: w.Glob}
	text := w.Text
	if text[0] == '/' {
		r.dir, text = "/", text[1:]
	}
	if r.dir == "" {
		return Target{}
	}
	for text != "" {
		elem, rest, _ := strings.Cut(text, "/")
		text = rest
		if !r.step(elem) {
			return Target{}
		}
	}
	return r.target()
}

// startsKnown refuses a first element of digits that are not known: where
// there are none, what follows is another path.
func startsKnown(text string) bool {
	rest := strings.TrimLeft(text, string(rune(Number)))
	return rest == text || rest == "" || rest[0] != '/'
}

type resolver struct {
	base    string
	links   Links
	dir     string
	open    bool   // elements may be globs
	pattern string // from the first element that is not known
	below   bool   // ** follows the folder
	lost    bool   // the pattern says too little
	here    bool   // the element before was "."
}

func (r *resolver) step(elem string) bool {
	known := !strings.ContainsAny(elem, holes)
	if r.open {
		known = known && !picks(elem)
	}
	defer func() { r.here = elem == "." }()
	switch {
	case elem == "" || elem == ".":
		return true
	case r.lost:
		return elem != ".."
	case elem == "..":
		if r.pattern != "" || r.below {
			return false // the parent of a folder that is not known, perhaps through a link
		}
		r.dir = path.Dir(r.dir)
		return true
	case !known:
		return r.stepOpen(elem)
	}
	if r.open {
		elem = unescape(elem)
	}
	if r.below {
		r.startPattern()
	}
	if r.pattern != "" {
		r.pattern += "/" + escapePattern(elem)
		return true
	}
	return r.enter(elem)
}

func (r *resolver) enter(elem string) bool {
	r.dir = path.Join(r.dir, elem)
	for range 8 {
		to, made := "", false
		if r.links != nil {
			to, made = r.links.Follow(r.dir)
		}
		if !made {
			return r.leaveProc()
		}
		if to == "" {
			return false
		}
		r.dir = to
	}
	return false // links in a circle, or too many to follow
}

// leaveProc turns the names that the kernel has for a process's own folders
// into those folders: /proc/self/cwd/x is x.
func (r *resolver) leaveProc() bool {
	rest, ok := strings.CutPrefix(r.dir, "/proc/")
	if !ok {
		return true
	}
	who, what, ok := strings.Cut(rest, "/")
	if !ok || what == "" {
		return true
	}
	if after, task := strings.CutPrefix(what, "task/"); task {
		_, what, _ = strings.Cut(after, "/")
	}
	own := who == "self" || who == "thread-self"
	switch {
	case !own && strings.Trim(who, "0123456789") != "":
		return true
	case what == "root":
		r.dir = "/"
		return own
	case what == "cwd":
		r.dir = r.base
		return own && r.base != ""
	case strings.HasPrefix(what, "map_files/"):
		return false
	case strings.HasPrefix(what, "fd/"):
		return own && strings.Count(what, "/") == 1
	}
	return true
}

func (r *resolver) stepOpen(elem string) bool {
	if mayBeParent(elem) {
		// .* may pick .., which is outside the folder that the path names so far.
		if r.pattern != "" || r.below {
			return false
		}
		r.dir, r.lost = path.Dir(r.dir), true
		return true
	}
	if strings.HasPrefix(r.dir, "/proc/") && r.dir != "/proc/self/fd" || r.dir == "/proc" {
		return false // one of the kernel's names for another folder
	}
	if r.links != nil && r.links.Below(r.dir) {
		return false // it may pick a link, which leads elsewhere
	}
	if elem == "**" && r.pattern == "" {
		r.below = true
		return true
	}
	if strings.HasPrefix(elem, "**") && elem != "**" {
		return r.longer()
	}
	r.startPattern()
	if !r.open {
		elem = escapePattern(elem)
	}
	r.pattern += "/" + strings.ReplaceAll(elem, string(rune(Number)), "*")
	return true
}

// longer follows a word that stands for a folder and all below it, with text
// behind it: d/**.bak is d.bak as well as d/x/y.bak.
func (r *resolver) longer() bool {
	if r.pattern != "" || r.below {
		return false
	}
	if !r.here {
		r.dir = path.Dir(r.dir)
	}
	r.lost = true
	return true
}

// startPattern begins the pattern at the folder that is known.
func (r *resolver) startPattern() {
	if r.pattern != "" {
		return
	}
	if r.dir != "/" {
		r.pattern = escapePattern(r.dir)
	}
	if r.below {
		r.pattern += "/**"
	}
}

// Loosened returns a pattern for what a glob may pick where an option of the
// shell says what it picks: hidden names, or names in another case. An extended
// pattern says nothing to those who test a path.
func Loosened(pattern string) string {
	if strings.Contains(pattern, "**") {
		return "" // names at any depth
	}
	elems := strings.Split(pattern, "/")
	for i, elem := range elems {
		if picks(elem) {
			elems[i] = "*(?)"
		}
	}
	return strings.Join(elems, "/")
}

// mayBeParent reports whether a glob can pick "..": it starts with a dot, and
// nothing in it stands for anything but another.
func mayBeParent(elem string) bool {
	if elem[0] != '.' {
		return false
	}
	for i := 1; i < len(elem); i++ {
		switch elem[i] {
		case '*', '?', '.', Number:
		case '[':
			i += bracketLen(elem[i:]) - 1
		default:
			return false
		}
	}
	return true
}

func (r *resolver) target() Target {
	switch {
	case r.lost, r.below && r.pattern == "":
		return Target{Path: r.dir, Deep: true}
	case r.pattern != "" && (r.dir == "/dev/fd" || r.dir == "/proc/self/fd"):
		return Target{Path: r.dir, Stream: true}
	case r.pattern != "":
		return Target{Path: r.dir, Deep: true, Pattern: r.pattern}
	}
	return Target{Path: r.dir, Stream: isStream(r.dir)}
}

func isStream(p string) bool {
	switch p {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/full",
		"/dev/random", "/dev/urandom":
		return true
	}
	fd, ok := strings.CutPrefix(p, "/dev/fd/")
	if !ok {
		fd, ok = strings.CutPrefix(p, "/proc/self/fd/")
	}
	return ok && fd != "" && strings.Trim(fd, "0123456789") == ""
}

func escapePattern(s string) string {
	if !strings.ContainsAny(s, escaped) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(escaped, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
