// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package strictyaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Kind is what a node holds.
type Kind uint8

// Kinds of node.
const (
	Null Kind = iota
	Scalar
	List
	Map
)

// Node is one value of a file with its place.
type Node struct {
	Kind         Kind
	Line, Column int
	Text         string // of a scalar, unquoted
	Tag          string // of a scalar: str, int, float, bool
	Items        []Node // of a list
	Keys         []Node // of a map, in order; Keys[i] names Values[i]
	Values       []Node
}

// Limits of a file, so that reading one is always cheap.
const (
	maxBytes = 5 << 20
	maxDepth = 64
)

// parse reads exactly one document.
func parse(file string, data []byte) (Node, error) {
	if len(data) > maxBytes {
		return Node{}, Problems{{File: file, Line: 1, Column: 1, Message: fmt.Sprintf("the file is larger than %d bytes: split it", maxBytes)}}
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return Node{Kind: Null, Line: 1, Column: 1}, nil
	}
	if err != nil {
		return Node{}, Problems{libraryProblem(file, err)}
	}
	r := reader{file: file}
	root := r.read(doc.Content[0], 0)
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		r.fail(max(more.Line, 1), max(more.Column, 1), "a second document: keep one per file")
	}
	if len(r.problems) > 0 {
		return Node{}, r.problems
	}
	return root, nil
}

var atLine = regexp.MustCompile(`line (\d+)`)

// libraryProblem keeps the line of the YAML library's error and drops the rest
// of its text where that could quote the file.
func libraryProblem(file string, err error) Problem {
	p := Problem{File: file, Line: 1, Column: 1, Message: "not valid YAML: check indentation, quotes and tabs around this line"}
	if m := atLine.FindStringSubmatch(err.Error()); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
	}
	return p
}

type reader struct {
	file     string
	problems Problems
}

func (r *reader) fail(line, column int, message string) {
	r.problems = append(r.problems, Problem{r.file, line, column, message})
}

func (r *reader) read(n *yaml.Node, depth int) Node {
	out := Node{Line: n.Line, Column: n.Column}
	if depth > maxDepth {
		r.fail(n.Line, n.Column, fmt.Sprintf("nested deeper than %d levels", maxDepth))
		return out
	}
	if n.Anchor != "" {
		r.fail(n.Line, n.Column, "anchors and aliases are not read: write the value out")
	}
	switch n.Kind {
	case yaml.AliasNode:
		r.fail(n.Line, n.Column, "anchors and aliases are not read: write the value out")
	case yaml.SequenceNode:
		out.Kind = List
		for _, item := range n.Content {
			out.Items = append(out.Items, r.read(item, depth+1))
		}
	case yaml.MappingNode:
		out.Kind = Map
		r.readMap(n, &out, depth)
	case yaml.ScalarNode:
		r.readScalar(n, &out)
	}
	return out
}

func (r *reader) readMap(n *yaml.Node, out *Node, depth int) {
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode || k.ShortTag() != "!!str" {
			r.fail(k.Line, k.Column, "a key must be text: put it in quotes")
			continue
		}
		if first, twice := seen[k.Value]; twice {
			r.fail(k.Line, k.Column, fmt.Sprintf("key %q was given on line %d already", k.Value, first))
			continue
		}
		seen[k.Value] = k.Line
		out.Keys = append(out.Keys, Node{Kind: Scalar, Line: k.Line, Column: k.Column, Text: k.Value, Tag: "str"})
		out.Values = append(out.Values, r.read(n.Content[i+1], depth+1))
	}
}

func (r *reader) readScalar(n *yaml.Node, out *Node) {
	out.Kind, out.Text = Scalar, n.Value
	switch n.ShortTag() {
	case "!!null":
		out.Kind = Null
	case "!!str", "!!timestamp":
		out.Tag = "str"
	case "!!bool":
		out.Tag = "bool"
		if n.Value != "true" && n.Value != "false" {
			r.fail(n.Line, n.Column, "write true or false")
		}
	case "!!int":
		out.Tag = "int"
	case "!!float":
		out.Tag = "float"
	default:
		r.fail(n.Line, n.Column, "values with a tag are not read: write the plain value")
	}
}

// JSON turns a node into JSON, for parts of a file that are JSON by nature.
// Numbers must be plain JSON numbers.
func (n Node) JSON() (json.RawMessage, error) {
	b, err := n.appendJSON(nil)
	if err != nil {
		return nil, err
	}
	if _, err := canon.Parse(b, canon.Limits{MaxBytes: maxBytes}); err != nil {
		return nil, fmt.Errorf("not plain JSON: %w", err)
	}
	return b, nil
}

func (n Node) appendJSON(b []byte) ([]byte, error) {
	var err error
	switch n.Kind {
	case Null:
		return append(b, "null"...), nil
	case Scalar:
		if n.Tag == "str" {
			return canon.AppendString(b, n.Text), nil
		}
		return append(b, n.Text...), nil
	case List:
		b = append(b, '[')
		for i, item := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = item.appendJSON(b); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case Map:
	}
	b = append(b, '{')
	for i, k := range n.Keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(canon.AppendString(b, k.Text), ':')
		if b, err = n.Values[i].appendJSON(b); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}
