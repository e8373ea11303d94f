// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package strictyaml

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/near"
)

// Custom is implemented by types that read themselves from a node. An error it
// returns is reported at the node's place.
type Custom interface {
	FromYAML(n Node) error
}

// Placed is embedded by structs that want to know where they were written, for
// later checks.
type Placed struct {
	File         string `yaml:"-" json:"-"`
	Line, Column int    `yaml:"-" json:"-"`
}

// Problem makes a problem at this place.
func (p Placed) Problem(format string, args ...any) Problem {
	return Problem{p.File, p.Line, p.Column, fmt.Sprintf(format, args...)}
}

// Decode reads one file into a pointer to a struct whose fields carry yaml
// tags. The error is a Problems.
func Decode(file string, data []byte, into any) error {
	root, err := parse(file, data)
	if err != nil {
		return err
	}
	d := decoder{file: file}
	if root.Kind == Null {
		return Problems{{file, root.Line, root.Column, "the file is empty"}}
	}
	d.value(root, reflect.ValueOf(into).Elem())
	if len(d.problems) > 0 {
		return d.problems.sorted()
	}
	return nil
}

type decoder struct {
	file     string
	problems Problems
}

func (d *decoder) fail(n Node, format string, args ...any) {
	d.problems = append(d.problems, Problem{d.file, n.Line, n.Column, fmt.Sprintf(format, args...)})
}

func (d *decoder) value(n Node, v reflect.Value) {
	if c, ok := reflect.TypeAssert[Custom](v.Addr()); ok {
		if err := c.FromYAML(n); err != nil {
			d.fail(n, "%v", err)
		}
		return
	}
	switch v.Type() {
	case reflect.TypeFor[json.RawMessage]():
		raw, err := n.JSON()
		if err != nil {
			d.fail(n, "%v", err)
		}
		v.SetBytes(raw)
		return
	case reflect.TypeFor[time.Duration]():
		d.duration(n, v)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v)
	case reflect.Map:
		d.mapping(n, v)
	case reflect.Slice:
		d.list(n, v)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem())
	default:
		d.scalar(n, v)
	}
}

func (d *decoder) scalar(n Node, v reflect.Value) {
	want := map[reflect.Kind]string{reflect.String: "str", reflect.Bool: "bool", reflect.Int: "int", reflect.Int64: "int"}[v.Kind()]
	if n.Kind != Scalar || n.Tag != want {
		d.fail(n, "%s is wanted here%s", map[string]string{"str": "text", "bool": "true or false", "int": "a whole number"}[want], quoteHint(n, want))
		return
	}
	switch want {
	case "str":
		v.SetString(n.Text)
	case "bool":
		v.SetBool(n.Text == "true")
	case "int":
		i, err := strconv.ParseInt(n.Text, 10, 64)
		if err != nil || v.OverflowInt(i) {
			d.fail(n, "a plain whole number is wanted here")
			return
		}
		v.SetInt(i)
	}
}

func quoteHint(n Node, want string) string {
	if n.Kind == Scalar && want == "str" {
		return ": put it in quotes"
	}
	return ""
}

func (d *decoder) duration(n Node, v reflect.Value) {
	dur, err := time.ParseDuration(n.Text)
	if n.Kind != Scalar || err != nil || dur < 0 {
		d.fail(n, "a duration is wanted here, such as 30s, 15m or 24h")
		return
	}
	v.SetInt(int64(dur))
}

func (d *decoder) list(n Node, v reflect.Value) {
	if n.Kind != List {
		d.fail(n, "a list is wanted here, such as [one, two]")
		return
	}
	out := reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items))
	for i, item := range n.Items {
		d.value(item, out.Index(i))
	}
	v.Set(out)
}

func (d *decoder) mapping(n Node, v reflect.Value) {
	if n.Kind != Map {
		d.fail(n, "a map of names is wanted here")
		return
	}
	out := reflect.MakeMapWithSize(v.Type(), len(n.Keys))
	for i, k := range n.Keys {
		item := reflect.New(v.Type().Elem()).Elem()
		d.value(n.Values[i], item)
		out.SetMapIndex(reflect.ValueOf(k.Text).Convert(v.Type().Key()), item)
	}
	v.Set(out)
}

func (d *decoder) structure(n Node, v reflect.Value) {
	if n.Kind != Map {
		d.fail(n, "a map with the keys %s is wanted here", strings.Join(keysOf(v.Type()), ", "))
		return
	}
	fields := map[string]reflect.Value{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Type == reflect.TypeFor[Placed]() {
			v.Field(i).Set(reflect.ValueOf(Placed{d.file, n.Line, n.Column}))
			continue
		}
		if name := keyOf(f); name != "" {
			fields[name] = v.Field(i)
		}
	}
	for i, k := range n.Keys {
		field, ok := fields[k.Text]
		if !ok {
			known := keysOf(v.Type())
			hint := "known keys: " + strings.Join(known, ", ")
			if meant := near.Word(k.Text, known); meant != "" {
				hint = fmt.Sprintf("did you mean %q?", meant)
			}
			d.fail(k, "unknown key %q: %s", k.Text, hint)
			continue
		}
		if n.Values[i].Kind == Null && !takesNull(field) {
			d.fail(n.Values[i], "key %q has no value: give one or leave the key out", k.Text)
			continue
		}
		d.value(n.Values[i], field)
	}
}

// takesNull reports whether a type may read an absent value itself.
func takesNull(v reflect.Value) bool {
	_, custom := reflect.TypeAssert[Custom](v.Addr())
	return custom
}

func keyOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if name == "-" {
		return ""
	}
	return name
}

func keysOf(t reflect.Type) []string {
	var out []string
	for field := range t.Fields() {
		if name := keyOf(field); name != "" {
			out = append(out, name)
		}
	}
	return out
}
