// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package read

import (
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Draft is an edition of JSON Schema. Later ones are larger.
type Draft int

// The drafts that are read.
const (
	Draft4    Draft = 4
	Draft6    Draft = 6
	Draft7    Draft = 7
	Draft2019 Draft = 2019
	Draft2020 Draft = 2020
)

// draftNamed finds the draft that a $schema names.
func draftNamed(address string) (Draft, bool) {
	address, fragment, _ := strings.Cut(address, "#")
	name, found := strings.CutPrefix(address, "https://json-schema.org/")
	if !found {
		name, found = strings.CutPrefix(address, "http://json-schema.org/")
	}
	if fragment != "" || !found {
		return 0, false
	}
	switch name {
	case "schema", "draft/2020-12/schema":
		return Draft2020, true
	case "draft/2019-09/schema":
		return Draft2019, true
	case "draft-07/schema":
		return Draft7, true
	case "draft-06/schema":
		return Draft6, true
	case "draft-04/schema":
		return Draft4, true
	}
	return 0, false
}

// hidesSiblings reports whether the draft ignores what stands beside a $ref.
func (d Draft) hidesSiblings() bool { return d < Draft2019 }

// id is the address that a schema gives itself, "" where it gives none. The
// fragment, which old drafts use as an anchor, is not part of it.
func (d Draft) id(schema canon.Value) (address, fragment string) {
	if _, found := schema.Get("$ref"); found && d.hidesSiblings() {
		return "", ""
	}
	word := "$id"
	if d == Draft4 {
		word = "id"
	}
	id, _ := schema.Get(word)
	address, fragment, _ = strings.Cut(id.Text(), "#")
	return address, fragment
}
