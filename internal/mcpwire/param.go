// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// ParamHeader says which argument of a tool is mirrored into which header.
type ParamHeader struct {
	Path   []string // names of properties, from the root of the arguments
	Header string   // "Mcp-Param-Region"
}

// maxSchemaDepth bounds how deep a schema is searched for mirrored arguments.
const maxSchemaDepth = 32

// ParamHeaders reads the x-mcp-header annotations of an input schema. The error
// says why the annotations, and so the tool, are not valid; the schema may come
// from a stranger.
func ParamHeaders(schema []byte) ([]ParamHeader, error) {
	if len(schema) == 0 {
		return nil, nil
	}
	root, ok := Root(schema)
	if !ok {
		return nil, fmt.Errorf("read input schema: it is not JSON")
	}
	var out []ParamHeader
	if err := collectParams(root, nil, map[string]bool{}, &out); err != nil {
		return nil, fmt.Errorf("read input schema: %w", err)
	}
	return out, nil
}

func collectParams(schema Node, path []string, seen map[string]bool, out *[]ParamHeader) error {
	if len(path) > maxSchemaDepth {
		return fmt.Errorf("properties are nested deeper than %d", maxSchemaDepth)
	}
	for name, property := range schema.Get("properties").Members() {
		at := append(slices.Clip(path), name)
		if annotation := property.Get("x-mcp-header"); annotation.Exists() {
			header := annotation.Text()
			if err := checkAnnotation(property, header); err != nil {
				return fmt.Errorf("property %q: %w", strings.Join(at, "."), err)
			}
			if seen[strings.ToLower(header)] {
				return fmt.Errorf("property %q: its x-mcp-header is used twice", strings.Join(at, "."))
			}
			seen[strings.ToLower(header)] = true
			*out = append(*out, ParamHeader{Path: at, Header: http.CanonicalHeaderKey(HeaderParam + header)})
		}
		if err := collectParams(property, at, seen, out); err != nil {
			return err
		}
	}
	return nil
}

func checkAnnotation(property Node, header string) error {
	switch property.Get("type").Text() {
	case "string", "integer", "boolean":
	default:
		return fmt.Errorf("x-mcp-header is only for strings, integers and booleans")
	}
	if header == "" {
		return fmt.Errorf("x-mcp-header must be a name")
	}
	for i := range len(header) {
		c := header[i]
		letter := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return fmt.Errorf("x-mcp-header holds a character that a header name cannot")
		}
	}
	return nil
}

// CheckParams compares the headers that mirror arguments with the arguments of
// a tools/call.
func CheckParams(h http.Header, m *Message, params []ParamHeader) error {
	arguments := m.params.Get("arguments")
	for _, p := range params {
		if problem := checkParam(h.Get(p.Header), arguments.Lookup(p.Path...)); problem != "" {
			return mismatch(m, p.Header+" "+problem)
		}
	}
	return nil
}

func checkParam(header string, argument Node) string {
	if !argument.Exists() || argument.Kind() == canon.KindNull {
		if header != "" {
			return "is given, and the argument is not"
		}
		return ""
	}
	want, ok := headerText(argument)
	switch {
	case !ok:
		return "mirrors an argument that is no string, integer or boolean"
	case header == "" && want == "":
		return "" // an empty string and no header look the same
	case header == "":
		return "is missing: send the value of the argument"
	}
	got, ok := DecodeHeader(header)
	switch {
	case !ok:
		return "holds invalid Base64"
	case got == want, argument.Kind() == canon.KindNumber && sameInteger(got, want):
		return ""
	}
	return "does not match the argument"
}

// headerText returns the text of an argument in a header.
func headerText(argument Node) (string, bool) {
	switch argument.Kind() {
	case canon.KindString:
		return argument.Text(), true
	case canon.KindBool:
		return strconv.FormatBool(argument.IsTrue()), true
	case canon.KindNumber:
		n, err := canon.ParseNumber(string(argument.Bytes()))
		if err != nil || !n.IsInteger() {
			return "", false
		}
		i, ok := n.Int64()
		if !ok || i > maxInteger || i < -maxInteger {
			return "", false
		}
		return strconv.FormatInt(i, 10), true
	}
	return "", false
}

// sameInteger compares as numbers: "42.0" is 42.
func sameInteger(header, want string) bool {
	f, err := strconv.ParseFloat(header, 64)
	return err == nil && f == math.Trunc(f) && math.Abs(f) <= maxInteger && strconv.FormatInt(int64(f), 10) == want
}

// SetHeaders writes the headers that mirror a modern request, for an upstream
// that is reached over HTTP on behalf of a client that is not.
func SetHeaders(h http.Header, m *Message, params []ParamHeader) {
	if m.kind != Request || !m.Modern() {
		return
	}
	h.Set(HeaderVersion, m.Version())
	h.Set(HeaderMethod, EncodeHeader(m.method))
	if name := NameOf(m); name.Exists() {
		h.Set(HeaderName, EncodeHeader(name.Text()))
	}
	arguments := m.params.Get("arguments")
	for _, p := range params {
		argument := arguments.Lookup(p.Path...)
		if text, ok := headerText(argument); ok {
			h.Set(p.Header, EncodeHeader(text))
		}
	}
}
