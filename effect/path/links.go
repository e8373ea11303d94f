// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
)

// maxLinks is how many links systems follow in one path.
const maxLinks = 40

// walk follows symbolic links, as the operating system would.
type walk struct {
	a       *analysis
	at      place    // its parts are the walk's own
	pending []string // what is left, the next part last
	links   int
	through bool   // a link was followed
	blind   string // why the rest cannot be told
}

// follow adds the effects on what the path really names. A tool that deletes
// removes a link and not what it leads to, unless it resolves the path first, so
// that there both are among the effects.
func (a *analysis) follow(p place, how string) {
	if how == "" {
		how = "where its links lead"
	}
	a.followed(p, how, false)
	if slices.Contains(a.o.Uses, Delete) {
		a.followed(p, how, true)
	}
}

func (a *analysis) followed(p place, how string, keepLast bool) {
	w := &walk{a: a, at: place{volume: p.volume}}
	w.push(p.parts)
	for len(w.pending) > 0 && w.blind == "" {
		next := w.pending[len(w.pending)-1]
		w.pending = w.pending[:len(w.pending)-1]
		switch next {
		case "", ".":
		case "..":
			w.at.parts = w.at.parts[:max(len(w.at.parts)-1, 0)]
		default:
			w.step(next, keepLast && len(w.pending) == 0)
		}
	}
	if w.blind != "" {
		a.unknown(w.blind)
		return
	}
	a.file(w.at, how)
	if _, inside := a.inside(w.at); !inside && w.through {
		a.unknown("a link leads out of the root, where others cannot be seen")
	}
}

// push puts parts before what is left.
func (w *walk) push(parts []string) {
	for _, part := range slices.Backward(parts) {
		w.pending = append(w.pending, part)
	}
}

// step goes on to one part, and to where it leads if it is a link.
func (w *walk) step(part string, keep bool) {
	w.at.parts = append(w.at.parts, part)
	rest, inside := w.a.inside(w.at)
	if !inside || len(rest) == 0 {
		return
	}
	if *w.a.looks -= len(rest); *w.a.looks < 0 {
		w.blind = "more folders than are looked into"
		return
	}
	name := strings.Join(rest, "/")
	info, err := w.a.o.Tree.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG):
		return // what is not there is no link
	case err != nil:
		w.blind = "a folder of the path cannot be looked into"
		return
	case info.Mode()&fs.ModeSymlink == 0 && info.Mode()&fs.ModeIrregular == 0 || keep:
		return
	}
	if w.links++; w.links > maxLinks {
		w.blind = "links in a circle"
		return
	}
	target, err := w.a.o.Tree.Readlink(name)
	if err != nil || target == "" {
		w.blind = "a link cannot be read"
		return
	}
	w.through = true
	w.jump(place{w.at.volume, w.at.parts[:len(w.at.parts)-1]}, target)
}

// jump goes on at the target of a link that stands in the folder from.
func (w *walk) jump(from place, target string) {
	if !w.a.o.Windows {
		if w.at = from; target[0] == '/' {
			w.at = place{parts: from.parts[:0]}
		}
		w.push(strings.Split(target, "/"))
		return
	}
	split := splitWindows(target)
	switch {
	case split.blind != "":
		w.blind = split.blind
	case split.rooted && split.volume != "":
		w.at = place{volume: split.volume}
	case split.rooted:
		w.at = place{volume: from.volume}
	default:
		w.at = from
	}
	w.push(split.parts)
}

// inside returns the name of a place below the root, by either of its names.
func (a *analysis) inside(p place) ([]string, bool) {
	if !a.rooted {
		return nil, false
	}
	if rest, ok := a.under(p, a.root); ok {
		return rest, true
	}
	return a.under(p, a.real)
}
