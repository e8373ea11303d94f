// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"slices"
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
		return Value{}, &SyntaxError{Reason: ReasonTooLarge, Offset: l.MaxBytes, Line: 1, Column: 1}
	}
	return parseText(string(b), l)
}

func parseText(src string, l Limits) (Value, error) {
	var keys [24]key
	p := parser{src: src, limits: l, keys: keys[:0], nodes: make([]node, 0, 8+len(src)/10)}
	if err := p.document(); err != nil {
		err.Line, err.Column = position(src, err.Offset)
		return Value{}, err
	}
	return Value{d: &doc{src: src, dec: p.dec.String(), nodes: p.nodes, order: p.order}}, nil
}

type parser struct {
	src    string
	pos    int
	depth  int
	limits Limits
	nodes  []node
	dec    strings.Builder
	keys   []key // of the open objects, innermost last
	order  map[uint32][]uint32
}

func (p *parser) fail(r Reason, offset int) *SyntaxError {
	return &SyntaxError{Reason: r, Offset: offset}
}

// unexpected is the failure at pos: the end, or a character out of place.
func (p *parser) unexpected() *SyntaxError {
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

func (p *parser) document() *SyntaxError {
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
func (p *parser) value(flags uint8) *SyntaxError {
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
	case c == '+' || c == '.':
		return p.fail(ReasonNumber, p.pos)
	}
	return p.unexpected()
}

func (p *parser) literal(word string, kind Kind, flags uint8) *SyntaxError {
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

func (p *parser) number(flags uint8) *SyntaxError {
	end, reason, at := checkNumber(p.src, p.pos)
	if reason != "" {
		return p.fail(reason, at)
	}
	p.nodes = append(p.nodes, node{kind: KindNumber, flags: flags, start: uint32(p.pos), end: uint32(end)})
	p.pos = end
	return nil
}

// open starts an array or object and returns its tape index.
func (p *parser) open(kind Kind, flags uint8) (uint32, *SyntaxError) {
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

func (p *parser) array(flags uint8) *SyntaxError {
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
			return err.under(itoa(int(count)))
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

func (p *parser) object(flags uint8) *SyntaxError {
	at, err := p.open(KindObject, flags)
	if err != nil {
		return err
	}
	if p.peek() == '}' {
		p.close(at, 0)
		return nil
	}
	names := siblings{base: len(p.keys)}
	for count := uint32(0); ; {
		if err := p.member(&names); err != nil {
			return err
		}
		count++
		switch p.peek() {
		case ',':
			p.pos++
		case '}':
			p.keys = p.keys[:names.base]
			p.close(at, count)
			if count > smallObject {
				p.sortNames(at, count)
			}
			return nil
		default:
			return p.unexpected()
		}
	}
}

func (p *parser) member(names *siblings) *SyntaxError {
	if p.peek() != '"' {
		return p.unexpected()
	}
	start := p.pos
	n, err := p.scanString()
	if err != nil {
		return err
	}
	p.nodes = append(p.nodes, n)
	name := p.nameText(&n)
	if reason := p.addKey(names, name, n.flags&flagWide != 0); reason != "" {
		return p.fail(reason, start).under(name)
	}
	if p.peek() != ':' {
		return p.unexpected().under(name)
	}
	p.pos++
	p.space()
	if err := p.value(flagMember); err != nil {
		return err.under(name)
	}
	return nil
}

// nameText is doc.text while the document is not complete.
func (p *parser) nameText(n *node) string {
	if n.flags&flagDecoded != 0 {
		return p.dec.String()[n.next : n.next+n.count]
	}
	return p.src[n.start+1 : n.end-1]
}

// under adds a step in front of the path.
func (e *SyntaxError) under(step string) *SyntaxError {
	e.Path = "/" + pointerToken(step) + e.Path
	return e
}

// sortNames keeps the canonical order of a large object, which also serves Get.
func (p *parser) sortNames(at, count uint32) {
	d := doc{src: p.src, dec: p.dec.String(), nodes: p.nodes}
	names := d.names(at, make([]uint32, 0, count))
	slices.SortFunc(names, d.compareNames)
	if p.order == nil {
		p.order = make(map[uint32][]uint32)
	}
	p.order[at] = names
}

// smallObject is the number of members up to which comparing every pair of
// names is cheaper than a hash table or an index.
const smallObject = 16

// key is the name of a member already seen in an object that is still open.
type key struct {
	sketch uint64 // equal for names that fold onto each other
	name   string
}

// siblings is what one open object knows of its names: the first ones in
// parser.keys from base on, all of them in seen once there are many. Go's map
// hashes with a secret seed, so chosen keys cannot make it slow.
type siblings struct {
	base int
	seen map[string]string // folded name (or the name, where folding is allowed): name
}

// addKey refuses a name that equals or folds onto a sibling.
func (p *parser) addKey(s *siblings, name string, wide bool) Reason {
	if s.seen != nil {
		return p.addSeen(s, name)
	}
	k := key{sketch: p.sketch(name, wide), name: name}
	for i := s.base; i < len(p.keys); i++ {
		if p.keys[i].sketch != k.sketch {
			continue
		}
		if reason := p.clash(p.keys[i].name, name); reason != "" {
			return reason
		}
	}
	p.keys = append(p.keys, k)
	if len(p.keys)-s.base < smallObject {
		return ""
	}
	s.seen = make(map[string]string, 4*smallObject)
	for _, k := range p.keys[s.base:] {
		s.seen[p.seenAs(k.name)] = k.name
	}
	p.keys = p.keys[:s.base]
	return ""
}

func (p *parser) addSeen(s *siblings, name string) Reason {
	as := p.seenAs(name)
	if other, found := s.seen[as]; found {
		return p.clash(other, name)
	}
	s.seen[as] = name
	return ""
}

func (p *parser) seenAs(name string) string {
	if p.limits.AllowFoldedSiblings {
		return name
	}
	return Fold(name)
}

func (p *parser) clash(a, b string) Reason {
	switch {
	case a == b:
		return ReasonDuplicateKey
	case !p.limits.AllowFoldedSiblings && Fold(a) == Fold(b):
		return ReasonFoldedKey
	}
	return ""
}

// sketch is a cheap fingerprint of the folded name: its length and three of its
// bytes. Names chosen to share one cost smallObject comparisons each.
func (p *parser) sketch(name string, wide bool) uint64 {
	if wide && !p.limits.AllowFoldedSiblings {
		name = Fold(name)
	}
	n := len(name)
	if n == 0 {
		return 0
	}
	return uint64(n)<<24 | uint64(lowerASCII(name[0]))<<16 | uint64(lowerASCII(name[n/2]))<<8 | uint64(lowerASCII(name[n-1]))
}

// ParseArguments reads the arguments of a call: an object, or a string that
// holds an object (the shape of OpenAI's function calls), which is decoded
// exactly once. Missing arguments (no bytes, or null) are an empty object, as
// MCP allows; an empty string is not. Everything else is refused. Spans of the
// result are in [Value.Document]: the bytes given, the decoded text, or {}.
// The limits hold for each of the two texts.
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
