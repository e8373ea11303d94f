// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package roles

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	tv "github.com/toolverdict/toolverdict"
)

// Guess is what one argument may mean.
type Guess struct {
	Pointer string  `json:"pointer"`
	Role    tv.Role `json:"role"`
	Why     string  `json:"why"`             // what spoke for it
	Ask     string  `json:"ask,omitempty"`   // what the person should find out
	Given   bool    `json:"given,omitempty"` // the catalog gives the argument a role already
}

// Bounds of one schema. What lies beyond them gets no guess.
const (
	maxDepth     = 8
	maxArguments = 500
)

// Tool guesses the roles of a tool's arguments, in the order of their pointers.
func Tool(def *tv.Definition) []Guess {
	var root node
	if json.Unmarshal(def.InputSchema, &root) != nil {
		return nil
	}
	g := guesser{def: def, words: words(strings.TrimPrefix(def.Name, def.Server+"/"))}
	g.about = slices.Concat(words(def.Server), g.words, prose(def.Server), prose(def.Title), prose(def.Description))
	g.walk("", &root, nil, 0)
	slices.SortFunc(g.found, func(a, b Guess) int { return cmp.Compare(a.Pointer, b.Pointer) })
	return g.found
}

// node is the part of a JSON Schema that is looked at. A server's schema may
// hold anything: what is not of this shape is passed over.
type node struct {
	Format      string
	Type        any
	Description string
	Properties  map[string]*node
	Items       *node
}

// UnmarshalJSON implements [json.Unmarshaler]: a member of another type is as if
// it were not there.
func (n *node) UnmarshalJSON(b []byte) error {
	var raw struct{ Format, Type, Description, Properties, Items json.RawMessage }
	if json.Unmarshal(b, &raw) != nil {
		return nil //nolint:nilerr // true and false are schemas too, and say nothing of names
	}
	for _, field := range []struct {
		from json.RawMessage
		to   any
	}{{raw.Format, &n.Format}, {raw.Type, &n.Type}, {raw.Description, &n.Description}, {raw.Properties, &n.Properties}, {raw.Items, &n.Items}} {
		if field.from != nil {
			_ = json.Unmarshal(field.from, field.to) // another type says nothing
		}
	}
	return nil
}

func (n *node) may(kind string) bool {
	switch t := n.Type.(type) {
	case nil:
		return true
	case string:
		return t == kind
	case []any:
		return slices.Contains(t, any(kind))
	}
	return false
}

type guesser struct {
	def   *tv.Definition
	words []string // of the tool's own name
	about []string // of everything that is said of the tool
	found []Guess
	seen  int
}

// walk looks at the members of an object, and of objects inside of it.
func (g *guesser) walk(at string, n *node, outer []string, depth int) {
	if n == nil || depth > maxDepth {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
		member := n.Properties[name]
		if g.seen++; member == nil || g.seen > maxArguments {
			return
		}
		pointer := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		g.argument(argument{pointer: pointer, name: words(name), outer: outer, node: member, beside: n.Properties})
		g.walk(pointer, member, words(name), depth+1)
		if member.Items != nil {
			g.walk(pointer+"/*", member.Items, words(name), depth+1)
		}
	}
}

// argument is what is known of one argument.
type argument struct {
	pointer string
	name    []string // its words, lower case
	outer   []string // those of what it stands in
	node    *node
	beside  map[string]*node
}

// argument makes the first guess that something speaks for.
func (g *guesser) argument(a argument) {
	value := a.node
	if value.may("array") && value.Items != nil {
		value = value.Items
	}
	text := value.may("string")
	number := value.may("number") || value.may("integer")
	for _, guess := range []func(argument, *node) (Guess, bool){g.email, g.url, g.sql, g.shell, g.code, g.path, g.header} {
		if found, ok := guess(a, value); ok && text {
			g.add(a, found)
			return
		}
	}
	if found, ok := g.money(a); ok && (text || number) {
		g.add(a, found)
	}
}

func (g *guesser) add(a argument, found Guess) {
	found.Pointer = a.pointer
	_, found.Given = g.def.Roles[a.pointer]
	g.found = append(g.found, found)
}

// words splits a name at signs and where small letters turn to capitals.
func words(name string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	var before rune
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && unicode.IsLower(before):
			end()
			word.WriteRune(r)
		default:
			word.WriteRune(r)
		}
		before = r
	}
	end()
	return out
}

// prose splits text at signs alone: MySQL is one word in it.
func prose(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// has returns the first word that is in the list, or "".
func has(words []string, list ...string) string {
	for _, w := range words {
		if slices.Contains(list, w) {
			return w
		}
	}
	return ""
}

// last is the word that says what the argument is: "file" in "output_file".
func last(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}
