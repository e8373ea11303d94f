// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package email

import (
	"mime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Bounds of one argument. What lies beyond them is opaque.
const (
	MaxRecipients = 1000
	MaxText       = 256 << 10 // bytes
)

// Options says what the tool does with the addresses.
type Options struct {
	// Source is the JSON pointer of the argument, copied into every effect.
	Source string
	// Field is to, cc or bcc, where it is known; it is copied into every effect.
	Field string
	// Single says that the tool takes the text for one address: several are
	// opaque. In a list each element is one.
	Single bool
}

// Analyse returns a send for every recipient in the text: an address, or several
// separated by commas, with display names and groups. It is pure, safe for
// concurrent use, takes time linear in the text, and never returns an empty list.
func Analyse(text string, o Options) (effects []toolverdict.Effect) {
	defer func() {
		if recover() != nil {
			effects = []toolverdict.Effect{opaque(o.Source, "the analyser failed on this address")}
		}
	}()
	if local, domain, ok := usual(text); ok {
		return []toolverdict.Effect{send(&o, local, domain)}
	}
	if why := unreadable(text); why != "" {
		return []toolverdict.Effect{opaque(o.Source, why)}
	}
	p := parser{o: &o}
	p.list(text)
	if o.Single && p.found > 1 {
		p.suspect("several addresses where one is expected")
	}
	if len(p.effects) == 0 {
		p.suspect("no address")
	}
	if p.doubt != "" {
		p.effects = append(p.effects, opaque(o.Source, p.doubt))
	}
	return p.effects
}

// AnalyseValue is [Analyse] for an argument: a string, an object with an address
// (or email) and a name, or a list of them. Null and an empty list are no
// recipient and have no effects; everything else is opaque.
func AnalyseValue(v toolverdict.Value, o Options) []toolverdict.Effect {
	switch v.Kind() {
	case canon.KindNull:
		return nil
	case canon.KindArray:
		return analyseAll(v, o)
	}
	return analyseOne(v, o)
}

func analyseAll(v toolverdict.Value, o Options) []toolverdict.Effect {
	var effects []toolverdict.Effect
	o.Single = true
	source, size := o.Source, 0
	for i, item := range v.Items() {
		o.Source = source + "/" + strconv.Itoa(i)
		size += item.Len()
		if len(effects) >= MaxRecipients || size > MaxText {
			return append(effects, opaque(source, "more recipients than are looked at"))
		}
		effects = append(effects, analyseOne(item, o)...)
	}
	return effects
}

func analyseOne(v toolverdict.Value, o Options) []toolverdict.Effect {
	switch v.Kind() {
	case canon.KindString:
		return Analyse(v.Text(), o)
	case canon.KindObject:
		return analyseObject(v, o)
	}
	return []toolverdict.Effect{opaque(o.Source, "no text where an address is expected")}
}

// analyseObject reads the forms that mail services use for one recipient.
func analyseObject(v toolverdict.Value, o Options) []toolverdict.Effect {
	if inner, ok := v.Get("emailAddress"); ok && v.Len() == 1 && inner.Kind() == canon.KindObject {
		v = inner
	}
	var address toolverdict.Value
	doubt := ""
	for name, field := range v.Fields() {
		switch {
		case field.Kind() == canon.KindString && (name == "address" || name == "email") && address.IsZero():
			address = field
		case field.Kind() == canon.KindString && (name == "name" || name == "displayName"):
			if unreadable("x"+field.Text()) != "" || strings.ContainsAny(field.Text(), `<>@"\`) || strings.Contains(field.Text(), "=?") {
				doubt = "a display name that could end the header or hold an address"
			}
		case field.Kind() == canon.KindNull && (name == "name" || name == "displayName"):
		default:
			return []toolverdict.Effect{opaque(o.Source, "an object that is no recipient: give it one address and at most a name")}
		}
	}
	if address.IsZero() {
		return []toolverdict.Effect{opaque(o.Source, "an object without an address")}
	}
	text := address.Text()
	o.Single = true
	effects := Analyse(text, o)
	if doubt == "" && strings.ContainsAny(text, `<>"(),;: `) && effects[len(effects)-1].Kind != toolverdict.EffectOpaque {
		doubt = "more than an address where an address is expected"
	}
	if doubt != "" {
		effects = append(effects, opaque(o.Source, doubt))
	}
	return effects
}

// AnalyseHeader checks text that a tool puts into a header, such as a subject:
// opaque where it could add a header of its own, else nothing.
func AnalyseHeader(text string, o Options) []toolverdict.Effect {
	if !breaks(text) {
		return nil
	}
	return []toolverdict.Effect{opaque(o.Source, "characters that end a header, so that what follows is one of its own")}
}

// AnalyseHeaderValue is [AnalyseHeader] for an argument: a string, a list of
// them, or null. Numbers and booleans cannot end a header; objects are opaque.
func AnalyseHeaderValue(v toolverdict.Value, o Options) []toolverdict.Effect {
	switch v.Kind() {
	case canon.KindNull, canon.KindNumber, canon.KindBool:
		return nil
	case canon.KindString:
		return AnalyseHeader(v.Text(), o)
	case canon.KindArray:
		for i, item := range v.Items() {
			own := o
			own.Source += "/" + strconv.Itoa(i)
			if effects := AnalyseHeaderValue(item, own); effects != nil && item.Kind() != canon.KindArray {
				return effects
			}
			if item.Kind() == canon.KindArray {
				return []toolverdict.Effect{opaque(own.Source, "no text where a header is expected")}
			}
		}
		return nil
	}
	return []toolverdict.Effect{opaque(o.Source, "no text where a header is expected")}
}

// breaks reports whether the text holds what some library takes for the end of
// a header, in plain sight or in an encoded word.
func breaks(s string) bool {
	if !utf8.ValidString(s) || strings.ContainsFunc(s, endsHeader) {
		return true
	}
	if !strings.Contains(s, "=?") {
		return false
	}
	decoded, err := new(mime.WordDecoder).DecodeHeader(s)
	return err != nil || strings.ContainsFunc(decoded, endsHeader)
}

func endsHeader(r rune) bool {
	return r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}

// unreadable says why no address can be read from the text.
func unreadable(s string) string {
	switch {
	case len(s) > MaxText:
		return "more text than is looked at"
	case !utf8.ValidString(s):
		return "bytes that are not UTF-8"
	case strings.Trim(s, " ") == "":
		return "an empty address"
	}
	for _, r := range s {
		switch {
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			return "control characters, which could end the header"
		case r >= utf8.RuneSelf && (unicode.In(r, unicode.Cf, unicode.Zs, unicode.Variation_Selector) || r == utf8.RuneError):
			return "invisible characters, or ones that change the direction of writing"
		}
	}
	return ""
}

func send(o *Options, local, domain string) toolverdict.Effect {
	return toolverdict.Effect{
		Kind: toolverdict.EffectSend, Source: o.Source, Field: o.Field,
		Recipient: strings.ToLower(local) + "@" + domain, Domain: domain,
	}
}

func opaque(source, why string) toolverdict.Effect {
	return toolverdict.Effect{Kind: toolverdict.EffectOpaque, Source: source, Detail: why}
}
