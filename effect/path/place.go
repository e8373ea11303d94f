// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// place is an absolute path. Its parts may hold "..", until it is cleaned.
type place struct {
	volume string // on Windows: "C:" or "//server/share"
	parts  []string
}

func (p place) String() string {
	if len(p.parts) == 0 && len(p.volume) > len("C:") {
		return p.volume // the share itself
	}
	return p.volume + "/" + strings.Join(p.parts, "/")
}

// clean takes ".." out by the text alone, as most tools do first.
func (p place) clean() place {
	kept := make([]string, 0, len(p.parts))
	for _, part := range p.parts {
		switch part {
		case "", ".":
		case "..":
			kept = kept[:max(len(kept)-1, 0)]
		default:
			kept = append(kept, part)
		}
	}
	return place{p.volume, kept}
}

// join adds what a relative path says.
func (p place) join(parts []string) place {
	return place{p.volume, append(slices.Clone(p.parts), parts...)}
}

// analysis is one run of the analyser.
type analysis struct {
	o       *Options
	fold    bool
	root    place // cleaned
	real    place
	base    place
	rooted  bool   // there is a root
	based   bool   // there is a place that relative paths start from
	why     string // of options that cannot be used
	below   bool   // what is emitted is a folder with all below it
	looks   *int   // what may still be spent on looking into the tree
	effects []toolverdict.Effect
}

func newAnalysis(o *Options, looks *int) *analysis {
	a := &analysis{o: o, fold: o.Folded || o.Windows, looks: looks}
	a.root, a.rooted = a.absolute(o.Root)
	if a.real, _ = a.absolute(o.Real); o.Real == "" {
		a.real = a.root
	}
	if o.Root != "" && !a.rooted {
		a.why = "the tool's root is not absolute"
	}
	a.base, a.based = a.root, a.rooted
	if o.Base != "" {
		if a.why == "" {
			a.why = unreadable(o.Base, o)
		}
		at := a.locate(o.Base)
		if at.doubt != "" || at.blind != "" {
			a.why = "the folder that relative paths start from cannot be told"
		}
		a.base, a.based = at.place, true
	}
	return a
}

// absolute reads a folder of the options.
func (a *analysis) absolute(text string) (place, bool) {
	if text == "" {
		return place{}, false
	}
	if a.o.Windows {
		w := splitWindows(text)
		return place{w.volume, w.parts}.clean(), w.rooted && w.doubt == ""
	}
	return place{parts: strings.Split(text, "/")}.clean(), text[0] == '/'
}

func (a *analysis) run(text string) []toolverdict.Effect {
	if a.why == "" {
		a.why = unreadable(text, a.o)
	}
	if a.why != "" {
		return []toolverdict.Effect{opaque(a.o.Source, a.why)}
	}
	all, doubt := readings(text, a.o)
	for _, r := range all {
		a.read(r)
	}
	if doubt != "" {
		a.effects = append(a.effects, opaque(a.o.Source, doubt))
	}
	return a.effects
}

// read adds the effects of one reading.
func (a *analysis) read(r reading) {
	if a.o.Glob && (strings.ContainsAny(r.text, globMeta) || r.text[0] == '!') {
		a.pattern(r)
		return
	}
	at := a.locate(r.text)
	switch {
	case at.blind != "":
		a.unknown(at.blind)
	default:
		lexical := at.place.clean()
		a.reach(at.host)
		a.file(lexical, r.how)
		if a.o.Tree != nil {
			a.follow(at.place, r.how)
		}
		if strings.ContainsAny(r.text, "*?") && !a.o.Verbatim && !a.o.Windows {
			a.unknown("a pattern, to tools that expand it")
		}
	}
	if at.doubt != "" {
		a.effects = append(a.effects, opaque(a.o.Source, at.doubt))
	}
}

// location is where a reading leads.
type location struct {
	place place
	host  string // of a share on the network
	doubt string // why it may lead elsewhere too
	blind string // why it cannot be told at all
}

// locate makes a reading absolute.
func (a *analysis) locate(text string) location {
	if text[0] == '~' && a.o.Home != "" && !a.o.Verbatim {
		home, ok := a.absolute(a.o.Home)
		rest := text[1:]
		if !ok || rest != "" && rest[0] != '/' && (!a.o.Windows || rest[0] != '\\') {
			return location{blind: "another user's home folder"}
		}
		if a.o.Windows {
			rest = strings.ReplaceAll(rest, `\`, "/")
		}
		return location{place: home.join(strings.Split(rest, "/"))}
	}
	if a.o.Windows {
		return a.locateWindows(text)
	}
	parts := strings.Split(text, "/")
	switch {
	case text[0] == '/':
		return location{place: place{parts: parts}}
	case !a.based:
		return location{blind: "a relative path, and no folder it could start from"}
	}
	return location{place: a.base.join(parts)}
}

// globMeta starts what is special in some dialect of patterns. A part before the
// first of them is a plain folder in all of them.
const globMeta = "*?[{("

// pattern adds the effects of a glob: anything below its fixed part, since
// dialects differ in what a star crosses.
func (a *analysis) pattern(r reading) {
	text := r.text
	if a.o.Windows {
		text = strings.ReplaceAll(text, `\`, "/")
	}
	meta := strings.IndexAny(text, globMeta)
	if meta < 0 || text[0] == '!' || strings.Contains(text, `\`) {
		a.unknown("a pattern that dialects read differently")
		return
	}
	cut := strings.LastIndexByte(text[:meta], '/') + 1
	if strings.Contains(text[cut:], "..") {
		a.unknown("a pattern that leads back up")
		return
	}
	fixed := text[:cut]
	if fixed == "" {
		fixed = "."
	}
	at := a.locate(fixed)
	if at.doubt != "" || at.blind != "" {
		a.unknown("a pattern whose folder cannot be told")
		return
	}
	a.reach(at.host)
	a.below = true
	a.file(at.place.clean(), r.how)
	if a.o.Tree != nil {
		a.follow(at.place, r.how)
	}
	a.below = false
}

// file adds the effects on one file, and on the one that it stands for.
func (a *analysis) file(p place, how string) {
	if rest, ok := a.under(p, a.real); ok && a.rooted {
		p = a.root.join(rest)
	}
	a.emit(a.spell(p), how)
	if leadsElsewhere(p.parts) || (a.below || a.o.Deep) && len(p.parts) > 0 && p.parts[0] == "proc" {
		a.unknown("an entry that stands for a file which can be anywhere")
	}
}

// spell writes a path the one way that rules compare. Below the root of a file
// system that ignores case it is folded; the root is spelt as configured.
func (a *analysis) spell(p place) string {
	if !a.fold {
		return p.String()
	}
	if rest, ok := a.under(p, a.root); ok && a.rooted {
		folded := canon.Fold(strings.Join(rest, "/"))
		if folded == "" {
			return a.root.String()
		}
		return strings.TrimSuffix(a.root.String(), "/") + "/" + folded
	}
	return canon.Fold(p.String())
}

// under returns the parts of p below the folder.
func (a *analysis) under(p, folder place) ([]string, bool) {
	if !a.same(p.volume, folder.volume) || len(p.parts) < len(folder.parts) {
		return nil, false
	}
	for i, part := range folder.parts {
		if !a.same(p.parts[i], part) {
			return nil, false
		}
	}
	return p.parts[len(folder.parts):], true
}

func (a *analysis) same(x, y string) bool {
	return x == y || a.fold && canon.Fold(x) == canon.Fold(y)
}

// leadsElsewhere finds the entries of /proc and /dev that stand for other files.
func leadsElsewhere(parts []string) bool {
	if len(parts) < 2 {
		return false
	}
	switch parts[0] {
	case "proc":
		for _, part := range parts[1:] {
			switch part {
			case "root", "cwd", "exe", "fd", "map_files", "task":
				return true
			}
		}
	case "dev":
		return parts[1] == "fd" || strings.HasPrefix(parts[1], "std")
	}
	return false
}

// emit adds an effect for every use.
func (a *analysis) emit(path, how string) {
	for _, use := range a.o.Uses {
		e := effect(a.o, use, path)
		e.Detail, e.Deep, e.Folded = how, path != "" && (a.o.Deep || a.below), path != "" && a.fold
		if e.Deep && !a.below {
			itself := e // it may be a file
			itself.Deep = false
			a.add(itself)
		}
		a.add(e)
	}
}

// unknown adds the effects on some file that cannot be told.
func (a *analysis) unknown(why string) { a.emit("", why) }

// reach adds the connection to the server of a share. Merely opening one sends
// it the user's credentials on Windows.
func (a *analysis) reach(host string) {
	if host == "" {
		return
	}
	const smb = 445
	a.add(toolverdict.Effect{Kind: toolverdict.EffectConnect, Source: a.o.Source, Host: host, Port: smb, Scheme: "smb"})
}

func (a *analysis) add(e toolverdict.Effect) {
	for _, old := range a.effects {
		if old.Kind == e.Kind && old.Path == e.Path && old.Names == e.Names && old.Deep == e.Deep && old.Host == e.Host {
			return
		}
	}
	a.effects = append(a.effects, e)
}
