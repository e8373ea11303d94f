// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// The limits that zero fields of [Limits] stand for, and the largest that can
// be asked for.
const (
	DefaultMaxBytes = 1 << 20
	DefaultMaxDepth = 64
	HardMaxBytes    = 1 << 30
	HardMaxDepth    = 10_000
)

// Limits bounds what is parsed. Fields that are zero or negative mean the
// defaults; fields over the hard maximum mean the hard maximum.
type Limits struct {
	// MaxBytes is the largest input in bytes.
	MaxBytes int
	// MaxDepth is how deep arrays and objects may be nested: a scalar has depth
	// 0, [] has depth 1.
	MaxDepth int
	// AllowFoldedSiblings accepts sibling keys that fold onto each other without
	// being equal. It weakens the gate: set it only for text that no
	// case-insensitive reader sees. Equal keys are refused all the same.
	AllowFoldedSiblings bool
}

// DefaultLimits returns the limits of the zero Limits, spelled out.
func DefaultLimits() Limits {
	return Limits{MaxBytes: DefaultMaxBytes, MaxDepth: DefaultMaxDepth}
}

func (l Limits) effective() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = DefaultMaxDepth
	}
	l.MaxBytes = min(l.MaxBytes, HardMaxBytes)
	l.MaxDepth = min(l.MaxDepth, HardMaxDepth)
	return l
}

// Parse reads exactly one JSON value, strictly; see the package comment for
// what it refuses. The error is a *[SyntaxError]. The Value keeps a copy: b may
// be changed afterwards.
func Parse(b []byte, l Limits) (Value, error) {
	l = l.effective()
	if len(b) > l.MaxBytes {
		return Value{}, &SyntaxError{Reason: ReasonTooLarge, Line: 1, Column: 1}
	}
	return parseText(string(b), l)
}

// parseText parses src under limits that are in effect, except for the size.
func parseText(src string, l Limits) (Value, error) {
	p := parser{src: src, limits: l, seed: maphash.MakeSeed(), nodes: make([]node, 0, 8+len(src)/8)}
	if f := p.document(); f != nil {
		return Value{}, f.syntaxError(src)
	}
	d := &doc{src: src, dec: string(p.dec), nodes: p.nodes}
	d.sortLarge(p.large)
	return Value{d: d}, nil
}

type parser struct {
	src    string
	pos    int
	depth  int
	limits Limits
	seed   maphash.Seed
	nodes  []node
	dec    []byte   // text of the strings with escapes, one after another
	large  []uint32 // tape indexes of the objects of more than smallObject members
}

func (p *parser) fail(r Reason, offset int) *failure {
	return &failure{reason: r, offset: offset}
}

// unexpected is the failure at pos: the end, or a character out of place.
func (p *parser) unexpected() *failure {
	if p.pos >= len(p.src) {
		return p.fail(ReasonTruncated, len(p.src))
	}
	return p.fail(ReasonUnexpected, p.pos)
}

func (p *parser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte after white space, 0 at the end. A NUL in the
// input is out of place wherever peek is used, like the end.
func (p *parser) peek() byte {
	p.space()
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *parser) document() *failure {
	if strings.HasPrefix(p.src, "\xef\xbb\xbf") {
		return p.fail(ReasonByteOrderMark, 0)
	}
	p.space()
	if p.pos == len(p.src) {
		return p.fail(ReasonEmpty, p.pos)
	}
	if err := p.value(0); err != nil {
		return err
	}
	p.space()
	if p.pos != len(p.src) {
		return p.fail(ReasonTrailing, p.pos)
	}
	return nil
}

// value reads the value at pos, which is not white space.
func (p *parser) value(flags uint8) *failure {
	if p.pos >= len(p.src) {
		return p.unexpected()
	}
	switch c := p.src[p.pos]; {
	case c == '"':
		n, err := p.scanString()
		n.flags |= flags
		p.nodes = append(p.nodes, n)
		return err
	case c == '{':
		return p.object(flags)
	case c == '[':
		return p.array(flags)
	case c == '-' || (c >= '0' && c <= '9'):
		return p.number(flags)
	case c == 't':
		return p.literal("true", KindBool, flags|flagTrue)
	case c == 'f':
		return p.literal("false", KindBool, flags)
	case c == 'n':
		return p.literal("null", KindNull, flags)
	case c == '+' || c == '.' || c == 'N' || c == 'I': // +1, .5, NaN, Infinity
		return p.fail(ReasonNumber, p.pos)
	}
	return p.unexpected()
}

func (p *parser) literal(word string, kind Kind, flags uint8) *failure {
	start := p.pos
	for i := range len(word) {
		if p.pos >= len(p.src) || p.src[p.pos] != word[i] {
			return p.unexpected()
		}
		p.pos++
	}
	p.nodes = append(p.nodes, node{kind: kind, flags: flags, start: uint32(start), end: uint32(p.pos)})
	return nil
}

func (p *parser) number(flags uint8) *failure {
	end, reason, at := checkNumber(p.src, p.pos)
	if reason != "" {
		return p.fail(reason, at)
	}
	p.nodes = append(p.nodes, node{kind: KindNumber, flags: flags, start: uint32(p.pos), end: uint32(end)})
	p.pos = end
	return nil
}

// open starts an array or object and returns its tape index.
func (p *parser) open(kind Kind, flags uint8) (uint32, *failure) {
	if p.depth >= p.limits.MaxDepth {
		return 0, p.fail(ReasonTooDeep, p.pos)
	}
	p.depth++
	at := uint32(len(p.nodes))
	p.nodes = append(p.nodes, node{kind: kind, flags: flags, start: uint32(p.pos)})
	p.pos++
	return at, nil
}

// close ends the array or object at tape index at, whose last byte is at pos.
func (p *parser) close(at, count uint32) {
	p.depth--
	p.pos++
	n := &p.nodes[at]
	n.end, n.count, n.next = uint32(p.pos), count, uint32(len(p.nodes))
}

func (p *parser) array(flags uint8) *failure {
	at, err := p.open(KindArray, flags)
	if err != nil {
		return err
	}
	if p.peek() == ']' {
		p.close(at, 0)
		return nil
	}
	for count := uint32(0); ; {
		p.space()
		if err := p.value(0); err != nil {
			return err.under(strconv.FormatUint(uint64(count), 10))
		}
		count++
		switch p.peek() {
		case ',':
			p.pos++
		case ']':
			p.close(at, count)
			return nil
		default:
			return p.unexpected()
		}
	}
}

func (p *parser) object(flags uint8) *failure {
	at, err := p.open(KindObject, flags)
	if err != nil {
		return err
	}
	if p.peek() == '}' {
		p.close(at, 0)
		return nil
	}
	var names siblings
	for count := uint32(0); ; {
		if err := p.member(&names); err != nil {
			return err
		}
		count++
		switch p.peek() {
		case ',':
			p.pos++
		case '}':
			p.close(at, count)
			if count > smallObject {
				p.large = append(p.large, at)
			}
			return nil
		default:
			return p.unexpected()
		}
	}
}

func (p *parser) member(names *siblings) *failure {
	if p.peek() != '"' {
		return p.unexpected()
	}
	start := p.pos
	n, err := p.scanString()
	if err != nil {
		return err
	}
	at := uint32(len(p.nodes))
	p.nodes = append(p.nodes, n)
	if reason := p.addName(names, at); reason != "" {
		return p.fail(reason, start).under(p.text(at))
	}
	if p.peek() != ':' {
		return p.unexpected().under(p.text(at))
	}
	p.pos++
	p.space()
	if err := p.value(flagMember); err != nil {
		return err.under(p.text(at))
	}
	return nil
}

// text is doc.text while the document is not complete.
func (p *parser) text(i uint32) string {
	n := &p.nodes[i]
	if n.flags&flagDecoded != 0 {
		return string(p.dec[n.next : n.next+n.count])
	}
	return p.src[n.start+1 : n.end-1]
}

// sortLarge keeps the canonical order of large objects, which also serves Get.
func (d *doc) sortLarge(objects []uint32) {
	if len(objects) == 0 {
		return
	}
	d.order = make(map[uint32][]uint32, len(objects))
	for _, at := range objects {
		names := d.names(at, make([]uint32, 0, d.nodes[at].count))
		slices.SortFunc(names, d.compareNames)
		d.order[at] = names
	}
}

// smallObject is the number of members up to which comparing every pair of
// names is cheaper than a hash table or an index.
const smallObject = 16

// siblings is what an open object knows of its names: tape indexes and sketches
// of the first ones, and all of them in seen once there are more. Go's map
// hashes with a secret seed, so chosen keys cannot make it slow.
type siblings struct {
	count  int
	sketch [smallObject]uint64
	node   [smallObject]uint32
	seen   map[string]uint32 // by folded name, or by name where folding is allowed
}

// addName refuses the name at tape index i if it equals or folds onto a sibling.
func (p *parser) addName(s *siblings, i uint32) Reason {
	if s.count == smallObject {
		return p.addSeen(s, i)
	}
	sketch := p.sketch(i)
	for n := range s.count {
		if s.sketch[n] == sketch && p.seenAs(s.node[n]) == p.seenAs(i) {
			return p.clash(s.node[n], i)
		}
	}
	s.sketch[s.count], s.node[s.count] = sketch, i
	s.count++
	return ""
}

func (p *parser) addSeen(s *siblings, i uint32) Reason {
	if s.seen == nil {
		s.seen = make(map[string]uint32, 4*smallObject)
		for _, n := range s.node {
			s.seen[p.seenAs(n)] = n
		}
	}
	as := p.seenAs(i)
	if other, found := s.seen[as]; found {
		return p.clash(other, i)
	}
	s.seen[as] = i
	return ""
}

// seenAs is the text under which no two siblings may be known.
func (p *parser) seenAs(i uint32) string {
	if p.limits.AllowFoldedSiblings {
		return p.text(i)
	}
	return Fold(p.text(i))
}

// clash says what is wrong with two names that are seen as one.
func (p *parser) clash(i, j uint32) Reason {
	if p.text(i) == p.text(j) {
		return ReasonDuplicateKey
	}
	return ReasonFoldedKey
}

// sketch is a hash of a name under which siblings are compared. Its seed is
// secret and new for every text: a sender who could choose names that share one
// would have them all compared with each other.
func (p *parser) sketch(i uint32) uint64 {
	n := &p.nodes[i]
	name := p.src[n.start+1 : n.end-1]
	var buf [64]byte
	if n.flags&(flagDecoded|flagWide) != 0 || len(name) > len(buf) || p.limits.AllowFoldedSiblings {
		return maphash.String(p.seed, p.seenAs(i))
	}
	for k := range len(name) {
		buf[k] = lowerASCII(name[k])
	}
	return maphash.Bytes(p.seed, buf[:len(name)])
}

// ParseObject is Parse for text that must be an object: arguments in the shape
// of MCP, envelopes, bodies.
func ParseObject(b []byte, l Limits) (Value, error) {
	v, err := Parse(b, l)
	if err != nil {
		return Value{}, err
	}
	if v.Kind() != KindObject {
		return Value{}, refuse(v, ReasonNotObject)
	}
	return v, nil
}

// ParseArguments reads the arguments of a call: an object, or a string that
// holds an object (the shape of OpenAI's function calls), which is decoded
// exactly once. Missing arguments (no bytes, or null) are an empty object, as
// MCP allows; an empty string is not. Everything else is refused. Spans of the
// result, and places in errors about decoded text, are in [Value.Document]: the
// bytes given, the decoded text, or {}. The limits hold for each of the texts.
// Where a front door does not use the string shape, use [ParseObject].
func ParseArguments(b []byte, l Limits) (Value, error) {
	if len(b) == 0 {
		return parseText("{}", l.effective())
	}
	v, err := Parse(b, l)
	if err != nil {
		return Value{}, err
	}
	switch v.Kind() {
	case KindObject:
		return v, nil
	case KindNull:
		return parseText("{}", l.effective())
	case KindString:
		return parseInner(v, l.effective())
	default:
		return Value{}, refuse(v, ReasonNotObject)
	}
}

func parseInner(outer Value, l Limits) (Value, error) {
	v, err := parseText(strings.Clone(outer.Text()), l)
	if err != nil {
		return Value{}, err
	}
	switch v.Kind() {
	case KindObject:
		return v, nil
	case KindString:
		return Value{}, refuse(v, ReasonNestedString)
	default:
		return Value{}, refuse(v, ReasonNotObject)
	}
}

// refuse is the error for a well-formed value of the wrong shape.
func refuse(v Value, r Reason) *SyntaxError {
	e := &SyntaxError{Reason: r}
	e.Offset, _ = v.Span()
	e.Line, e.Column = position(v.Document(), e.Offset)
	return e
}
