// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"net/netip"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict"
)

const (
	withUser = "carries a user name or password"
	maxPath  = 32 << 10 // bytes of a path that some system opens
)

// effectsOf turns a target into effects.
func effectsOf(t target, o Options) []toolverdict.Effect {
	var effects []toolverdict.Effect
	if t.fail == "" {
		effects = t.reached(o)
	}
	switch {
	case t.fail != "":
		effects = append(effects, opaque(o.Source, t.fail))
	case t.doubt != "":
		effects = append(effects, opaque(o.Source, t.doubt))
	}
	return effects
}

// reached lists what the URL leads to.
func (t *target) reached(o Options) []toolverdict.Effect {
	to := toolverdict.Effect{
		Kind: toolverdict.EffectConnect, Source: o.Source, Host: t.host, Port: t.port, Scheme: t.scheme,
	}
	if t.user {
		to.Detail = withUser
	}
	if t.scheme == "file" {
		return t.files(o, to)
	}
	if t.ip.IsValid() {
		return appendAddress(nil, to, t.ip)
	}
	to.Network = nameNetwork(t.host)
	answer, known := o.Answers[t.host]
	if !known {
		return []toolverdict.Effect{to}
	}
	var effects []toolverdict.Effect
	for _, ip := range answer.Addrs {
		effects = appendAddress(effects, to, ip)
	}
	if to.Network != "" || answer.Problem != "" || len(answer.Addrs) == 0 {
		// What the name says counts beside what some name server answered.
		if answer.Problem != "" {
			to.Detail = answer.Problem
		}
		effects = append(effects, to)
	}
	return effects
}

// appendAddress adds the connection to one address, and to the one it stands for.
func appendAddress(effects []toolverdict.Effect, to toolverdict.Effect, ip netip.Addr) []toolverdict.Effect {
	ip = ip.Unmap().WithZone("")
	to.IP, to.Network = ip.String(), Network(ip)
	if to.Host == to.IP {
		to.IP = to.Host // one string
	}
	effects = append(effects, to)
	if inner, ok := embedded(ip); ok {
		to.IP, to.Network = inner.String(), Network(inner)
		effects = append(effects, to)
	}
	return effects
}

// file reads what follows file:.
func (t *target) file(rest string) {
	defer t.tail()
	slashes := leadingSlashes(rest)
	if slashes == 3 && strings.HasPrefix(rest, "///") {
		t.rest = rest[2:]
		return
	}
	if slashes != 2 || rest[:2] != "//" {
		t.suspect("a file URL without exactly two or three slashes")
		t.rest = rest
		return
	}
	end := strings.IndexAny(rest[2:], `/?#\`)
	if end < 0 {
		end = len(rest) - 2
	}
	host := rest[2 : 2+end]
	t.rest = rest[2+end:]
	if strings.EqualFold(host, "localhost") {
		return
	}
	t.suspect("a file URL with a host")
	if t.setHost(host); t.fail != "" {
		t.doubt, t.fail = t.fail, ""
	}
}

// files are the effects of a file URL: it reads, and with a host it connects.
func (t *target) files(o Options, to toolverdict.Effect) []toolverdict.Effect {
	effects := []toolverdict.Effect{{Kind: toolverdict.EffectRead, Source: o.Source, Path: t.filePath()}}
	if t.host == "" {
		return effects
	}
	to.Port = defaultPort("smb")
	if t.ip.IsValid() {
		return appendAddress(effects, to, t.ip)
	}
	to.Network = nameNetwork(t.host)
	return append(effects, to)
}

// tail notes what some programs take for a part of the file's name and others do
// not. A query is no part of a file URL to most, and Python and Git open what it
// says; a fragment in which folders go up is no place in a document.
func (t *target) tail() {
	at := strings.IndexAny(t.rest, "?#")
	switch {
	case at < 0:
	case strings.Contains(t.rest[at:], "?"):
		t.suspect("a ? in a file URL, which some programs take for a part of the name")
	case slices.Contains(strings.FieldsFunc(decode(t.rest[at:]), func(r rune) bool { return strings.ContainsRune(`#/\`, r) }), ".."):
		t.suspect("folders that go up after the # of a file URL, which some programs take for a part of the name")
	}
}

// filePath returns the local path of a file URL, "" where it cannot be told.
func (t *target) filePath() string {
	p, _, _ := strings.Cut(t.rest, "?")
	p, _, _ = strings.Cut(p, "#")
	if len(p) > maxPath {
		return ""
	}
	p = decode(p)
	if t.host != "" || !strings.HasPrefix(p, "/") || strings.Contains(p, `\`) || !utf8.ValidString(p) ||
		strings.ContainsFunc(p, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
		return ""
	}
	return path.Clean(p)
}
