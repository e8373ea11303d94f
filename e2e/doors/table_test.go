// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package doors_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

var update = flag.Bool("update", false, "write what the library decides into the table; read the change before it is committed")

// row is one call: the arguments are the very text that a model wrote, well-formed
// or not.
type row struct {
	Name      string `json:"name"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
	Want      string `json:"want"` // verdict, code, and the rules that matched

	label string // of one door
}

const tableFile = "calls.jsonl"

func rows(t *testing.T) []row {
	t.Helper()
	var out []row
	seen := map[string]bool{}
	lines := bufio.NewScanner(strings.NewReader(read(t, tableFile)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r row
		must(t, json.Unmarshal(lines.Bytes(), &r))
		if seen[r.Name] {
			t.Fatalf("there are two calls named %q", r.Name)
		}
		seen[r.Name] = true
		out = append(out, r)
	}
	must(t, lines.Err())
	return out
}

func write(t *testing.T, all []row) {
	t.Helper()
	var b bytes.Buffer
	for _, r := range all {
		line := fmt.Sprintf(`{"name":%s,"tool":%s,"arguments":%s,"want":%s}`, ascii(r.Name), ascii(r.Tool), ascii(r.Arguments), ascii(r.Want))
		b.WriteString(line + "\n")
	}
	must(t, os.WriteFile(filepath.Join("testdata", tableFile), b.Bytes(), 0o600))
}

// ascii is a text as JSON that shows all of it: what is invisible is escaped.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(string(canon.AppendString(nil, s)), "?") {
		switch {
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		case r > 0x7e:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (r *row) full() string { return server + "/" + r.Tool }

// kind is what the text of the arguments is.
type kind string

const (
	object  kind = "an object"
	text    kind = "a text" // JSON, a string: it may hold the object
	null    kind = "null"
	other   kind = "another value"
	deep    kind = "deeper than arguments may be"
	deepest kind = "deeper than anything may be"
	broken  kind = "JSON that programs read in more than one way"
	noJSON  kind = "no JSON"
)

func (r *row) kind() kind {
	v, err := canon.Parse([]byte(r.Arguments), canon.Limits{MaxDepth: 100})
	switch {
	case err == nil:
	case !json.Valid([]byte(r.Arguments)):
		return noJSON
	case isDeep(err):
		return deepest
	default:
		return broken
	}
	if _, err := canon.Parse([]byte(r.Arguments), canon.Limits{}); err != nil {
		return deep
	}
	switch v.Kind() {
	case canon.KindObject:
		return object
	case canon.KindString:
		return text
	case canon.KindNull:
		return null
	}
	return other
}

func isDeep(err error) bool {
	syntax, ok := errors.AsType[*canon.SyntaxError](err)
	return ok && syntax.Reason == canon.ReasonTooDeep
}

// strict reports whether the text can stand in a body that is read strictly.
func (k kind) strict() bool { return k != broken && k != noJSON && k != deepest }

// meant are the bytes that run when the call does: the object, out of its text
// where it is in one.
func (r *row) meant() string {
	v, err := canon.ParseArguments([]byte(r.Arguments), canon.Limits{})
	if err != nil {
		return ""
	}
	return string(v.Raw())
}

// verdict is the first word of what is wanted, code the second.
func (r *row) verdict() string { return strings.Fields(r.Want)[0] }

func (r *row) code() tv.Code {
	code := strings.Fields(r.Want)[1]
	if code == "-" {
		return ""
	}
	return tv.Code(code)
}

// told writes a decision as the table has it.
func told(verdict string, code tv.Code, rules []tv.Match) string {
	names := []string{}
	for _, m := range rules {
		name := m.Rule
		if m.Unknown {
			name += "?"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	if code == "" {
		code = "-"
	}
	return strings.TrimSpace(verdict + " " + string(code) + " " + strings.Join(names, " "))
}
