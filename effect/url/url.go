// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"strconv"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Bounds of one argument. What lies beyond them is opaque.
const (
	MaxValues  = 1000 // URLs
	MaxEffects = 4096
)

// Options says what the tool does with the URL. The zero value is the strictest
// one: absolute URLs only, names of unknown networks.
type Options struct {
	// Source is the JSON pointer of the argument, copied into every effect.
	Source string
	// Base is the absolute URL (http, https, ws, wss, ftp) that the tool resolves
	// references against. Where it is empty, a reference is opaque.
	Base string
	// Answers holds what names resolved to before the decision; see Resolve. A
	// name that is not in it has no known network.
	Answers Answers
}

// Analyse returns the effects of a tool that fetches the URL: a connect for
// every address it may reach, a read for a file URL, and an opaque effect for
// what parsers read in more than one way. It is pure, safe for concurrent use,
// takes time linear in the text, and never returns an empty list.
func Analyse(text string, o Options) (effects []toolverdict.Effect) {
	defer func() {
		if recover() != nil {
			effects = []toolverdict.Effect{opaque(o.Source, "the analyser failed on this URL")}
		}
	}()
	return effectsOf(parse(text, o.Base), o)
}

// AnalyseValue is [Analyse] for an argument: a string, or an array of strings.
// Everything else is opaque; an empty array has no effects.
func AnalyseValue(v toolverdict.Value, o Options) []toolverdict.Effect {
	switch v.Kind() {
	case canon.KindString:
		return Analyse(v.Text(), o)
	case canon.KindArray:
		var effects []toolverdict.Effect
		for i, item := range v.Items() {
			own := o
			own.Source += "/" + strconv.Itoa(i)
			switch {
			case i >= MaxValues || len(effects) >= MaxEffects:
				return append(effects, opaque(o.Source, "more URLs than are looked at: use fewer"))
			case item.Kind() != canon.KindString:
				effects = append(effects, opaque(own.Source, "no text where a URL is expected"))
			default:
				effects = append(effects, Analyse(item.Text(), own)...)
			}
		}
		return effects
	}
	return []toolverdict.Effect{opaque(o.Source, "no text where a URL is expected")}
}

func opaque(source, why string) toolverdict.Effect {
	return toolverdict.Effect{Kind: toolverdict.EffectOpaque, Source: source, Detail: why}
}
