// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"io/fs"
	stdpath "path"
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Use is what a tool does with the file that a path names.
type Use string

// Uses.
const (
	Read   Use = "read"
	Write  Use = "write" // creates, changes, moves to
	Delete Use = "delete"
	List   Use = "list" // reads names, sizes and times, no content
)

// Tree sees the symbolic links below the tool's root. Names are relative to it
// and use slashes. An *os.Root is a Tree.
type Tree interface {
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
}

// Options says what the tool does with the path. A field that is empty makes
// the analysis stricter, never laxer.
type Options struct {
	// Source is the JSON pointer of the argument, copied into every effect.
	Source string
	// Uses lists what the tool does with the path: a move reads and deletes its
	// source and writes its target. Without any, or with one that is not known,
	// every path is opaque.
	Uses []Use
	// Deep says that the tool goes on to what is below the path: it searches,
	// copies or deletes folders with all they hold. The path itself is an effect
	// besides, as it may be a file.
	Deep bool
	// Glob says that the tool reads the text as a pattern. A pattern touches
	// anything below the last folder that is written without one.
	Glob bool
	// Root is the folder that the tool works in, absolute.
	Root string
	// Real is Root with its own symbolic links resolved, where that differs.
	// Effects speak of Root.
	Real string
	// Base is the folder that relative paths start from, itself relative to Root;
	// "" is Root. Without both, a relative path is not known.
	Base string
	// Home is what the tool puts in the place of a leading ~. Where it is empty,
	// such a path is opaque.
	Home string
	// Windows says that the tool runs on Windows. Effects use slashes all the same.
	Windows bool
	// Folded says that the file system takes names that differ in case or Unicode
	// form for one; on Windows it always does. Paths below Root are then folded
	// (canon.Fold), and effects say so.
	Folded bool
	// Verbatim says that the tool is known to hand the text to the operating
	// system byte for byte: percent codes, blanks, a leading ~, $ and, but on
	// Windows, backslashes are then parts of names.
	Verbatim bool
	// Tree shows the symbolic links below Root; nil goes by the text alone.
	Tree Tree
}

// Bounds. What lies beyond them is opaque.
const (
	MaxBytes   = 32 << 10  // of one path: more than any system opens
	MaxValues  = 1000      // paths in one argument
	MaxText    = 256 << 10 // bytes of all of them
	MaxEffects = 4096
	maxLooks   = 16 << 10 // into the tree for one argument, each counted by its depth
)

// Analyse returns the effects of a tool that is given the path, one for each use
// and each file that some reading of the text names; an effect without a path
// means some file that is not known. It is safe for concurrent use and never
// returns an empty list. It reads the file system through Options.Tree only, a
// bounded number of times.
func Analyse(text string, o Options) []toolverdict.Effect {
	if clean, ok := quick(text, &o); ok {
		effects := make([]toolverdict.Effect, 0, len(o.Uses))
		for i, use := range o.Uses {
			if slices.Contains(o.Uses[:i], use) {
				continue
			}
			e := effect(&o, use, clean)
			if e.Deep {
				itself := e // it may be a file
				itself.Deep = false
				effects = append(effects, itself)
			}
			effects = append(effects, e)
		}
		return effects
	}
	looks := maxLooks
	return analyse(text, o, &looks)
}

func analyse(text string, o Options, looks *int) (effects []toolverdict.Effect) {
	defer func() {
		if recover() != nil {
			effects = []toolverdict.Effect{opaque(o.Source, "the analyser failed on this path")}
		}
	}()
	if why := o.check(); why != "" {
		return []toolverdict.Effect{opaque(o.Source, why)}
	}
	return newAnalysis(&o, looks).run(text)
}

// quick cleans a usual path, which has one reading and no link to follow.
func quick(text string, o *Options) (clean string, ok bool) {
	if o.Windows || o.Folded || o.Glob || o.Tree != nil || o.Real != "" || !plain(text) || o.check() != "" {
		return "", false
	}
	if text[0] != '/' {
		if o.Base != "" || o.Root == "" || o.Root[0] != '/' || !plain(o.Root) {
			return "", false
		}
		text = o.Root + "/" + text
	}
	clean = stdpath.Clean(text)
	return clean, !strings.HasPrefix(clean, "/proc") && !strings.HasPrefix(clean, "/dev")
}

// effect is one use of one file.
func effect(o *Options, use Use, path string) toolverdict.Effect {
	e := toolverdict.Effect{Kind: toolverdict.EffectKind(use), Source: o.Source, Path: path, Deep: o.Deep}
	if use == List {
		e.Kind, e.Names = toolverdict.EffectRead, true
	}
	return e
}

// AnalyseValue is [Analyse] for an argument: a string, or an array of strings.
// Everything else is opaque; an empty array has no effects.
func AnalyseValue(v toolverdict.Value, o Options) []toolverdict.Effect {
	switch v.Kind() {
	case canon.KindString:
		return Analyse(v.Text(), o)
	case canon.KindArray:
		return analyseAll(v, o)
	}
	return []toolverdict.Effect{opaque(o.Source, "no text where a path is expected")}
}

func analyseAll(v toolverdict.Value, o Options) []toolverdict.Effect {
	var effects []toolverdict.Effect
	looks, size := maxLooks, 0
	for i, item := range v.Items() {
		own := o
		own.Source += "/" + strconv.Itoa(i)
		size += item.Len()
		switch {
		case i >= MaxValues || size > MaxText || len(effects) >= MaxEffects:
			return append(effects, opaque(o.Source, "more paths than are looked at: use fewer"))
		case item.Kind() != canon.KindString:
			effects = append(effects, opaque(own.Source, "no text where a path is expected"))
		case o.Tree == nil:
			effects = append(effects, Analyse(item.Text(), own)...)
		default: // what may be looked up is for all of them
			effects = append(effects, analyse(item.Text(), own, &looks)...)
		}
	}
	return effects
}

// check finds options that say nothing the analysis could stand on.
func (o *Options) check() string {
	if len(o.Uses) == 0 {
		return "it is not declared what the tool does with the path"
	}
	for _, use := range o.Uses {
		switch use {
		case Read, Write, Delete, List:
		default:
			return "what the tool is declared to do with the path is not known"
		}
	}
	return ""
}

func opaque(source, why string) toolverdict.Effect {
	return toolverdict.Effect{Kind: toolverdict.EffectOpaque, Source: source, Detail: why}
}
