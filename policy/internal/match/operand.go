// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Form says how an operand is compared.
type Form uint8

// Forms of comparison.
const (
	Whole  Form = iota // the whole text
	Head               // what it starts with
	Tail               // what it ends with
	Inside             // what it contains
	Wild               // a glob
	Below              // a folder: it, or what is below it
)

// Operand is one text of a policy, ready to be compared with a text that is
// known only in part: the words of a command, what a deletion reaches.
type Operand struct {
	plain, folded side
}

// side is the operand as it was written, or folded as some file systems do.
type side struct {
	form   Form
	text   string
	glob   Glob
	tokens []token
}

// Touched is what an effect says of a path: the path alone, or with Deep
// something at or below it, or all of it; Pattern then narrows it to what a
// shell's glob matches. With Folded the path is folded, and the file system
// takes names of equal fold for one.
type Touched struct {
	Path    string // absolute and clean
	Deep    bool
	Pattern string
	Folded  bool
}

// NewOperand reads an operand as a policy writes it. One that paths are compared
// with folds.
func NewOperand(form Form, s string, folds bool) (Operand, error) {
	plain, err := newSide(form, s)
	if err != nil || !folds {
		return Operand{plain, plain}, err
	}
	text := canon.Fold(s)
	if text == s {
		return Operand{plain, plain}, nil
	}
	for _, c := range []string{"/", "*", "?"} {
		if strings.Count(s, c) != strings.Count(text, c) {
			err = errFolds
		}
	}
	folded, problem := newSide(form, text)
	if err != nil || problem != nil {
		return Operand{}, errFolds
	}
	return Operand{plain, folded}, nil
}

// errFolds: folding turned a plain character into one that means something.
var errFolds = errors.New("the text has characters that some file systems take for others: write it without them")

func newSide(form Form, s string) (side, error) {
	o := side{form: form, text: s}
	if s == "" && form != Whole {
		return o, fmt.Errorf("the text is empty: every text would match")
	}
	anything := token{class: anyChar, star: true}
	switch form {
	case Whole:
		o.tokens = literal(nil, s)
	case Head:
		o.tokens = append(literal(nil, s), anything)
	case Tail:
		o.tokens = literal([]token{anything}, s)
	case Inside:
		o.tokens = append(literal([]token{anything}, s), anything)
	case Wild:
		g, err := ParseGlob(s)
		if err != nil {
			return o, err
		}
		o.glob, o.tokens = g, globTokens(s)
	case Below:
		f, err := parsePlace(s)
		if err != nil {
			return o, err
		}
		o.text = f
		o.tokens = append(literal(nil, strings.TrimSuffix(f, "/")+"/"), anything)
	}
	return o, nil
}

// parsePlace reads a folder of a POSIX or, as C:/data, a Windows system.
func parsePlace(s string) (string, error) {
	if len(s) > 2 && s[1] == ':' && s[2] == '/' && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z') {
		f, err := ParseFolder(s[2:])
		return strings.TrimSuffix(s[:2]+f.Prefix(), "/"), err
	}
	f, err := ParseFolder(s)
	return f.Prefix(), err
}

// Folder is the folder of an operand of the form Below.
func (o *Operand) Folder() string { return o.plain.text }

// Canonical reports whether a path is as analysers emit it: absolute and clean.
func Canonical(path string) bool { return canonicalPath(path) }

// Exact compares a text that is known, and that the analyser made canonical.
func (o *Operand) Exact(s string) Truth { return o.plain.exact(s) }

// Word compares a text in which each NUL stands for text that is not known.
func (o *Operand) Word(s string) Truth { return o.plain.among(partly(nil, s)) }

// Touched compares a path. True says that everything it may reach fits, False
// that nothing does.
func (o *Operand) Touched(t *Touched) Truth {
	s, path := &o.plain, t.Path
	if t.Folded {
		s, path = &o.folded, canon.Fold(path)
	}
	if !t.Deep {
		return s.exact(path)
	}
	all := s.deep(path)
	if all != Unknown || t.Pattern == "" || t.Folded {
		return all
	}
	shapes, ok := shellShapes(t.Pattern)
	if !ok {
		return Unknown
	}
	out := s.among(shapes[0])
	for _, shape := range shapes[1:] {
		out = agree(out, s.among(shape))
	}
	return out
}

// agree is what is sure of two texts of which either may be meant.
func agree(a, b Truth) Truth {
	if a == b {
		return a
	}
	return Unknown
}

func (o *side) exact(s string) Truth {
	switch o.form {
	case Whole:
		return Of(s == o.text)
	case Head:
		return Of(strings.HasPrefix(s, o.text))
	case Tail:
		return Of(strings.HasSuffix(s, o.text))
	case Inside:
		return Of(strings.Contains(s, o.text))
	case Wild:
		return o.glob.Fits(s)
	case Below:
		return o.below(s)
	}
	return Unknown
}

// below compares with a folder. A path that is not what an analyser emits, and
// one that differs only in case, is Unknown.
func (o *side) below(s string) Truth {
	if !canonicalPath(s) {
		return Unknown
	}
	if beneath(s, o.text) {
		return True
	}
	if len(s) >= len(o.text) && strings.EqualFold(s[:len(o.text)], o.text) && beneath(o.text+s[len(o.text):], o.text) {
		return Unknown
	}
	return False
}

// beneath reports whether a clean path is the folder or below it.
func beneath(s, folder string) bool {
	rest, ok := strings.CutPrefix(s, folder)
	return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(folder, "/"))
}

// canonicalPath reports whether the path is absolute and clean.
func canonicalPath(s string) bool {
	drive := len(s) > 2 && s[1] == ':' && s[2] == '/'
	if !utf8.ValidString(s) || !drive && !strings.HasPrefix(s, "/") || strings.ContainsRune(s, 0) {
		return false
	}
	rest := strings.TrimPrefix(s, "/") // a share starts with two
	return !strings.Contains(rest, "//") && !strings.Contains(rest+"/", "/../") && !strings.Contains(rest+"/", "/./") &&
		!strings.HasPrefix(rest+"/", "../") && !strings.HasPrefix(rest+"/", "./")
}

// deep compares a path and everything below it.
func (o *side) deep(s string) Truth {
	self := o.exact(s)
	switch {
	case o.form == Head && self == True, o.form == Below && self == True, o.form == Inside && self == True:
		return True
	case o.form == Below && self == Unknown:
		return Unknown
	}
	below := literal(nil, strings.TrimSuffix(s, "/")+"/")
	return agree(self, o.among(append(below, token{class: anyChar, star: true})))
}

// maxShape bounds what is compared token by token.
const maxShape = 1 << 15

// among compares every text of a shape.
func (o *side) among(shape []token) Truth {
	tokens := o.tokens
	if apart(shape, tokens) {
		return o.folderItself(shape, False)
	}
	if len(shape)*len(tokens) > maxShape {
		return Unknown
	}
	switch {
	case within(shape, tokens):
		return True
	case meets(shape, tokens):
		return Unknown
	}
	return o.folderItself(shape, False)
}

// folderItself adds to what is known of the texts below a folder whether one of
// the shape's is the folder.
func (o *side) folderItself(shape []token, below Truth) Truth {
	if o.form != Below {
		return below
	}
	folder := literal(nil, o.text)
	if apart(shape, folder) || len(shape)*len(folder) <= maxShape && !meets(shape, folder) {
		return below
	}
	return Unknown
}
