// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Bounds of a policy file.
const (
	MaxBytes = 5<<20 - 1 // a file of 5 MiB is refused
	maxDepth = 24
)

// kind is the type of a node.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

func (k kind) String() string {
	return [...]string{"nothing", "a boolean", "a number", "text", "a list", "a mapping"}[k]
}

// node is one value of a file, whatever it was written in.
type node struct {
	pos    Pos
	kind   kind
	text   string
	number canon.Number
	truth  bool
	keys   []*node // object: text nodes
	values []*node // object, list
	list   string  // the name of the list that it was taken from
}

// reader turns bytes into nodes and collects what is wrong.
type reader struct {
	file     string
	source   []byte
	lines    int // of the file
	problems Problems
}

func (r *reader) problem(at Pos, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{Pos: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// at is a place inside of the file: the YAML parser sometimes names the line
// after the last one.
func (r *reader) at(line, column int) Pos {
	return Pos{File: r.file, Line: min(max(line, 1), max(r.lines, 1)), Column: max(column, 1)}
}

// read returns the one document of a file, nil where there was a problem.
func (r *reader) read(content []byte) *node {
	r.source, r.lines = content, bytes.Count(content, []byte("\n"))+1
	if !r.sane(content) {
		return nil
	}
	var n *node
	if strings.HasSuffix(strings.ToLower(r.file), ".json") {
		n = r.readJSON(content)
	} else {
		n = r.readYAML(content)
	}
	if len(r.problems) > 0 {
		return nil
	}
	return n
}

func (r *reader) sane(content []byte) bool {
	start := len(r.problems)
	switch {
	case len(content) > MaxBytes:
		r.problem(r.at(1, 1), "split the policy into several files", "the file has %d bytes, at most %d", len(content), MaxBytes)
	case len(bytes.TrimSpace(content)) == 0:
		r.problem(r.at(1, 1), "write at least policy, version and one rule", "the file is empty")
	case bytes.HasPrefix(content, []byte("\xef\xbb\xbf")):
		r.problem(r.at(1, 1), "save it as UTF-8 without one", "the file starts with a byte order mark")
	case !utf8.Valid(content):
		line, column := 1, 1
		for i := 0; i < len(content); {
			c, size := utf8.DecodeRune(content[i:])
			if c == utf8.RuneError && size <= 1 {
				break
			}
			if column++; c == '\n' {
				line, column = line+1, 1
			}
			i += size
		}
		r.problem(r.at(line, column), "save it as UTF-8", "the file is not UTF-8 here")
	default:
		r.hidden(content)
	}
	return len(r.problems) == start
}

// hidden finds characters that make a file read differently from how it looks,
// and tabs where YAML gives indentation a meaning.
func (r *reader) hidden(content []byte) {
	line, column, indent := 1, 1, true
	for i, c := range string(content) {
		switch {
		case c == '\r' && (i+1 == len(content) || content[i+1] != '\n'):
			r.problem(r.at(line, column), "end lines with a line feed", "a lone carriage return stands here: to some programs a new line starts after it")
			return
		case c == '\t' && indent && !strings.HasSuffix(strings.ToLower(r.file), ".json"):
			r.problem(r.at(line, column), "indent with spaces", "a tab stands in the indentation")
			return
		case c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c == 0x7f,
			c >= 0x80 && c <= 0x9f, c >= 0x200b && c <= 0x200f, c >= 0x2028 && c <= 0x202e, c >= 0x2060 && c <= 0x206f, c == 0xfeff, c == 0xad:
			r.problem(r.at(line, column), "remove it, or write it as an escape in double quotes", "an invisible character U+%04X stands here", c)
			return
		}
		column++
		indent = indent && (c == ' ' || c == '\t')
		if c == '\n' {
			line, column, indent = line+1, 1, true
		}
	}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

func (r *reader) readYAML(content []byte) *node {
	dec := yaml.NewDecoder(bytes.NewReader(content))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		r.problem(r.at(1, 1), "write at least policy, version and one rule", "the file holds no policy")
		return nil
	} else if err != nil {
		r.yamlError(err, content)
		return nil
	}
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		r.problem(r.at(second.Line, second.Column), "keep one document to a file", "a second document starts here")
		return nil
	case !errors.Is(err, io.EOF):
		r.yamlError(err, content)
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		r.problem(r.at(1, 1), "write a mapping with policy, version and rules", "the file holds no policy")
		return nil
	}
	return r.fromYAML(doc.Content[0], 0)
}

// yamlError gives the parser's message the place it lacks: the first character
// of the line it names.
func (r *reader) yamlError(err error, content []byte) {
	line, message := 1, err.Error()
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = m[2]
	}
	column := 1
	if lines := bytes.Split(content, []byte("\n")); line >= 1 && line <= len(lines) {
		trimmed := bytes.TrimLeft(lines[line-1], " ")
		column = len(lines[line-1]) - len(trimmed) + 1
	}
	if name, ok := unknownAnchor(message); ok {
		before, _, _ := bytes.Cut(content, []byte("*"+name))
		line = bytes.Count(before, []byte("\n")) + 1
		column = utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
		r.problem(r.at(line, column), "write the value out in both places", "anchors and aliases are not used here")
		return
	}
	r.problem(r.at(line, column), "check indentation, colons and quotes here and on the line before", "this is not YAML: %s", message)
}

// unknownAnchor reads the one message of the parser that has no line.
func unknownAnchor(message string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(message, "unknown anchor '")
	name, _, closed := strings.Cut(rest, "'")
	return name, ok && closed
}

func (r *reader) fromYAML(y *yaml.Node, depth int) *node {
	n := &node{pos: r.at(y.Line, y.Column)}
	switch {
	case depth > maxDepth:
		r.problem(n.pos, "flatten it", "values are nested deeper than %d", maxDepth)
	case y.Kind == yaml.AliasNode, y.Anchor != "":
		r.problem(n.pos, "write the value out in both places", "anchors and aliases are not used here")
	case y.Style&yaml.TaggedStyle != 0:
		r.problem(n.pos, "leave the tag out; quote the value if it is text", "tags are not used here")
	case y.Kind == yaml.MappingNode:
		n.kind = object
		for i := 0; i+1 < len(y.Content); i += 2 {
			r.member(n, y.Content[i], y.Content[i+1], depth)
		}
	case y.Kind == yaml.SequenceNode:
		n.kind = list
		for _, c := range y.Content {
			n.values = append(n.values, r.fromYAML(c, depth+1))
		}
	case y.Kind == yaml.ScalarNode:
		r.scalar(n, y)
	}
	return n
}

func (r *reader) member(n *node, key, value *yaml.Node, depth int) {
	at := r.at(key.Line, key.Column)
	switch {
	case key.ShortTag() == "!!merge":
		r.problem(at, "write the keys out", "merge keys are not used here")
	case key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0 || key.ShortTag() != "!!str" && key.ShortTag() != "!!timestamp":
		r.problem(at, "quote it if it is meant as text", "a key is not plain text")
	default:
		n.keys = append(n.keys, &node{pos: at, kind: text, text: key.Value})
		n.values = append(n.values, r.fromYAML(value, depth+1))
	}
}

// scalar types a scalar by YAML 1.2's core schema and refuses the spellings
// that YAML 1.1 readers take for something else.
func (r *reader) scalar(n *node, y *yaml.Node) {
	n.text = y.Value
	switch y.ShortTag() {
	case "!!null":
		n.kind = null
	case "!!bool":
		n.kind, n.truth = boolean, strings.EqualFold(y.Value, "true")
		if y.Value != "true" && y.Value != "false" {
			r.problem(n.pos, "write true or false, or quote it if it is text", "%q is an unusual spelling of a boolean", y.Value)
		}
	case "!!int", "!!float":
		n.kind = number
		num, err := canon.ParseNumber(y.Value)
		if err != nil {
			r.problem(n.pos, "write a plain decimal number such as 12 or 0.5, or quote it if it is text", "%q is no number that every reader takes alike", shorten(y.Value))
		}
		n.number = num
	default:
		n.kind = text
		if y.Style == 0 && ambiguous(y.Value) {
			r.problem(n.pos, "write true or false, or quote it if it is text", "%q is a boolean to some YAML readers and text to others", y.Value)
		}
	}
}

// ambiguous reports whether common YAML 1.1 readers take the plain word for a
// boolean.
func ambiguous(s string) bool {
	switch strings.ToLower(s) {
	case "yes", "no", "on", "off":
		return true
	}
	return false
}

func shorten(s string) string {
	const longest = 40
	return plain.Cut(s, longest)
}

// readJSON reads a file named *.json with the same strictness as a call.
func (r *reader) readJSON(content []byte) *node {
	v, err := canon.Parse(content, canon.Limits{MaxBytes: MaxBytes, MaxDepth: maxDepth, AllowFoldedSiblings: true})
	if err != nil {
		if syntax, ok := errors.AsType[*canon.SyntaxError](err); ok {
			r.problem(r.at(syntax.Line, syntax.Column), syntax.Reason.Advice(), "this is not strict JSON: %s", syntax.Reason)
			return nil
		}
		r.problem(r.at(1, 1), "write strict JSON", "this is not strict JSON")
		return nil
	}
	j := jsonReader{r: r, src: string(content), line: 1}
	return j.node(v)
}

// jsonReader counts lines and characters as it walks a document in order.
type jsonReader struct {
	r      *reader
	src    string
	offset int
	line   int
	column int // characters before offset on its line
}

func (j *jsonReader) at(offset int) Pos {
	for ; j.offset < offset; j.offset++ {
		switch c := j.src[j.offset]; {
		case c == '\n':
			j.line, j.column = j.line+1, 0
		case c&0xc0 != 0x80: // not inside a character
			j.column++
		}
	}
	return j.r.at(j.line, j.column+1)
}

func (j *jsonReader) node(v canon.Value) *node {
	start, _ := v.Span()
	n := &node{pos: j.at(start), text: v.Text(), number: v.Number(), truth: v.Bool()}
	switch v.Kind() {
	case canon.KindBool:
		n.kind = boolean
	case canon.KindNumber:
		n.kind, n.text = number, v.RawText()
	case canon.KindString:
		n.kind = text
	case canon.KindArray:
		n.kind = list
		for _, e := range v.Items() {
			n.values = append(n.values, j.node(e))
		}
	case canon.KindObject:
		n.kind = object
		for name, m := range v.Fields() {
			at, _, _ := m.NameSpan()
			n.keys = append(n.keys, &node{pos: j.at(at), kind: text, text: name})
			n.values = append(n.values, j.node(m))
		}
	case canon.KindNull, canon.KindInvalid:
	}
	return n
}

// appendJSON writes a node as JSON.
func (n *node) appendJSON(dst []byte) []byte {
	switch n.kind {
	case boolean:
		return strconv.AppendBool(dst, n.truth)
	case number:
		return append(dst, n.number.String()...)
	case text:
		return canon.AppendString(dst, n.text)
	case list:
		dst = append(dst, '[')
		for i, v := range n.values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.appendJSON(dst)
		}
		return append(dst, ']')
	case object:
		dst = append(dst, '{')
		for i, v := range n.values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(canon.AppendString(dst, n.keys[i].text), ':')
			dst = v.appendJSON(dst)
		}
		return append(dst, '}')
	case null:
	}
	return append(dst, "null"...)
}
