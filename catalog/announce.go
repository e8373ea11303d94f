// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/schema"
)

// maxAnnounced bounds one announced tool, in bytes.
const maxAnnounced = schema.MaxBytes

// announced is one tool as its server told of it.
type announced struct {
	full  string // SERVER/NAME; SERVER/#N where it has no usable name
	name  string
	value canon.Value
	pin   Pin
	fault string // why it can never be used as it is
}

// members are the fields of a tool that MCP knows. Others are pinned too, but
// mean nothing to the gate.
func members() []string {
	return []string{
		"name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "execution", metaMember,
	}
}

// metaMember is the one member that is not pinned: servers put things there
// that change with every answer.
const metaMember = "_meta"

func hints() []string {
	return []string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
}

// read takes one announced tool apart. It never fails: a tool that cannot be
// read has a fault.
func read(server string, index int, raw []byte) announced {
	a := announced{full: fmt.Sprintf("%s/#%d", server, index+1)}
	v, err := canon.Parse(raw, canon.Limits{MaxBytes: maxAnnounced, AllowFoldedSiblings: true})
	switch {
	case err != nil:
		a.fault = "its definition is not acceptable JSON: " + err.Error()
		return a
	case v.Kind() != canon.KindObject:
		a.fault = "its definition is not a JSON object"
		return a
	}
	a.value = v
	name, _ := v.Get("name")
	if name.Kind() != canon.KindString {
		a.fault = "its definition has no name"
		return a
	}
	a.name = name.Text()
	if why := nameFault(a.name); why != "" {
		a.full = server + "/" + Reveal(a.name[:min(len(a.name), maxNameBytes)])
		a.fault = "its name " + why
		return a
	}
	a.full = server + "/" + a.name
	a.fault = shapeFault(v)
	a.pin = pinOf(a.full, v)
	return a
}

// shapeFault finds members that another reader would take for others, and
// members of the wrong type.
func shapeFault(v canon.Value) string {
	if m, with, clash := canon.FoldClash(v, members()); clash {
		return fmt.Sprintf("its definition has the member %q, which other programs may read as %q", Reveal(m), with)
	}
	notes, _ := v.Get("annotations")
	if m, with, clash := canon.FoldClash(notes, hints()); clash {
		return fmt.Sprintf("its annotations have the member %q, which other programs may read as %q", Reveal(m), with)
	}
	for _, member := range []struct {
		name string
		kind canon.Kind
	}{
		{"title", canon.KindString}, {"description", canon.KindString},
		{"inputSchema", canon.KindObject}, {"outputSchema", canon.KindObject}, {"annotations", canon.KindObject},
	} {
		if m, present := v.Get(member.name); present && m.Kind() != member.kind {
			return fmt.Sprintf("its %s is not of type %s", member.name, member.kind)
		}
	}
	return ""
}

// text returns a text member as people may see it.
func (a *announced) text(path ...string) string {
	v, _ := a.value.Lookup(path...)
	return plain.Text(v.Text())
}

// json returns the canonical form of a member, nil where there is none.
func (a *announced) json(name string) []byte {
	v, ok := a.value.Get(name)
	if !ok {
		return nil
	}
	return canon.Append(nil, v)
}

// hint reads an annotation. Only a real boolean counts.
func (a *announced) hint(name string) (value, given bool) {
	v, _ := a.value.Lookup("annotations", name)
	return v.Bool(), v.Kind() == canon.KindBool
}

// hidesText reports whether texts for people hold characters that they cannot
// see: where poisoned instructions are put.
func (a *announced) hidesText() bool {
	for _, path := range [][]string{{"title"}, {"description"}, {"annotations", "title"}} {
		if v, _ := a.value.Lookup(path...); plain.Text(v.Text()) != v.Text() {
			return true
		}
	}
	return false
}

// pinOf hashes what is pinned of a definition: every member but _meta, known to
// MCP or not, so that no change goes unnoticed.
func pinOf(full string, v canon.Value) Pin {
	p := Pin{Tool: full, Fields: map[string]string{}}
	var kept []canon.Member
	for _, m := range v.Members() {
		if m.Name != metaMember {
			kept = append(kept, m)
			p.Fields[m.Name] = hash(canon.Append(nil, m.Value))
		}
	}
	p.Definition = canon.Append(nil, canon.Object(kept...))
	p.Hash = hash(p.Definition)
	return p
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// own is the part of a full name after the server.
func own(full string) string {
	_, name, _ := strings.Cut(full, "/")
	return name
}
