// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package roles

import (
	"encoding/json"
	"fmt"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Overlay prints guesses as a catalog overlay with comments that say what spoke
// for each. Roles that the catalog gives already are left out; text of servers is
// made fit to be shown. It returns "" where nothing is left to propose.
func (tools Proposals) Overlay() string {
	var b strings.Builder
	for _, t := range tools {
		var lines []string
		for _, g := range t.Guesses {
			if g.Given {
				continue
			}
			lines = append(lines, "      # "+plain.Mark(g.Why))
			if g.Ask != "" {
				lines = append(lines, "      # to find out: "+plain.Mark(g.Ask))
			}
			lines = append(lines, "      "+quoted(g.Pointer)+": "+inline(g.Role))
		}
		if len(lines) == 0 {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("# Proposed from names and schemas. Look at each, then merge it into a catalog.\ntools:\n")
		}
		fmt.Fprintf(&b, "  %s:\n    roles:\n%s\n", quoted(t.Tool), strings.Join(lines, "\n"))
	}
	return b.String()
}

// Proposals are what is guessed of several tools.
type Proposals []Proposal

// Proposal is what is guessed of one tool.
type Proposal struct {
	Tool    string  `json:"tool"`
	Guesses []Guess `json:"guesses"`
}

// quoted is text as a JSON string, which YAML reads alike.
func quoted(s string) string {
	b, err := json.Marshal(plain.Mark(s))
	if err != nil { // never of a string
		return `""`
	}
	return string(b)
}

// inline writes a role as a catalog has it: a word, or a mapping on one line.
func inline(r tv.Role) string {
	word := string(r.Kind)
	if r.Dialect != "" {
		word += ":" + r.Dialect
	}
	var more []string
	for _, o := range []struct{ key, value string }{
		{"uses", strings.Join(r.Uses, ", ")}, {"baseFrom", r.BaseFrom}, {"field", r.Field}, {"currencyFrom", r.CurrencyFrom},
	} {
		switch {
		case o.value == "":
		case o.key == "uses":
			more = append(more, "uses: ["+o.value+"]")
		case o.key == "field":
			more = append(more, "field: "+o.value)
		default:
			more = append(more, o.key+": "+quoted(o.value))
		}
	}
	if r.Minor {
		more = append(more, "minor: true")
	}
	if len(more) == 0 {
		return word
	}
	if r.Dialect != "" {
		word = quoted(word)
	}
	return "{role: " + word + ", " + strings.Join(more, ", ") + "}"
}
