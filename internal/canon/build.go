// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// builtLimits hold for values made in code, whose names nobody forged.
func builtLimits() Limits {
	return Limits{MaxBytes: HardMaxBytes, MaxDepth: HardMaxDepth, AllowFoldedSiblings: true}
}

// built parses text that this package wrote, where only depth, size and the
// names of members can still be wrong.
func built(text []byte) Value {
	v, err := parseText(string(text), builtLimits())
	if err != nil {
		return Value{}
	}
	return v
}

// Null returns null.
func Null() Value { return built([]byte("null")) }

// Bool returns a boolean.
func Bool(b bool) Value { return built(strconv.AppendBool(nil, b)) }

// Int returns an integer.
func Int(i int64) Value { return built(strconv.AppendInt(nil, i, 10)) }

// Value returns n as a JSON value.
func (n Number) Value() Value { return built(n.append(nil)) }

// String returns a string. Text that is not UTF-8 has no JSON form: it gives
// the absent Value, which no allow rule matches.
func String(s string) Value {
	if !utf8.ValidString(s) {
		return Value{}
	}
	return built(Quote(s))
}

// Array returns an array of copies of the elements. If one of them is absent,
// the result is absent.
func Array(elems ...Value) Value {
	text := []byte{'['}
	for i, e := range elems {
		if e.IsZero() {
			return Value{}
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, e.RawText()...)
	}
	return built(append(text, ']'))
}

// Object returns an object of copies of the members. If one of them is absent,
// has a name that is not UTF-8, or is named like another, the result is absent.
// Use [FromGo] where the reason matters.
func Object(members ...Member) Value {
	text := []byte{'{'}
	for i, m := range members {
		if m.Value.IsZero() || !utf8.ValidString(m.Name) {
			return Value{}
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(AppendString(text, m.Name), ':')
		text = append(text, m.Value.RawText()...)
	}
	return built(append(text, '}'))
}

// FromGo returns the JSON form of a Go value made of nil, booleans, strings,
// integers, finite floats, [json.Number], [Value], [Number], slices, arrays,
// pointers, and maps with string keys. It refuses everything else: NaN and
// infinities, negative zero, text that is not UTF-8, bytes, structs (times among
// them), cycles, and what [Parse] would refuse under hard limits. The error
// names the place and the Go type, never the value.
func FromGo(x any) (Value, error) {
	w := goWriter{}
	if f := w.write(x, 0); f != nil {
		return Value{}, f.conversionError()
	}
	v, err := parseText(string(w.text), builtLimits())
	if err != nil {
		return Value{}, fmt.Errorf("convert to JSON: %v", err)
	}
	return v, nil
}

type goWriter struct{ text []byte }

func (w *goWriter) write(x any, depth int) *failure {
	if depth > HardMaxDepth {
		return &failure{detail: "it is nested too deep: does it contain itself?"}
	}
	switch x := x.(type) {
	case nil:
		w.text = append(w.text, "null"...)
		return nil
	case Value:
		if x.IsZero() {
			return &failure{detail: "an absent value has no JSON form"}
		}
		w.text = append(w.text, x.RawText()...)
		return nil
	case Number:
		w.text = x.append(w.text)
		return nil
	case json.Number:
		return w.number(string(x))
	}
	return w.reflect(reflect.ValueOf(x), depth)
}

func (w *goWriter) number(s string) *failure {
	n, err := ParseNumber(s)
	if err != nil {
		return &failure{detail: err.Error()}
	}
	w.text = n.append(w.text)
	return nil
}

func (w *goWriter) reflect(v reflect.Value, depth int) *failure {
	switch v.Kind() {
	case reflect.Bool:
		w.text = strconv.AppendBool(w.text, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.text = strconv.AppendInt(w.text, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.text = strconv.AppendUint(w.text, v.Uint(), 10)
	case reflect.Float32:
		return w.float(v.Float(), 32)
	case reflect.Float64:
		return w.float(v.Float(), 64)
	case reflect.String:
		return w.string(v.String())
	case reflect.Slice, reflect.Array:
		return w.slice(v, depth)
	case reflect.Map:
		return w.mapping(v, depth)
	case reflect.Pointer:
		if v.IsNil() {
			return w.write(nil, depth)
		}
		return w.write(v.Elem().Interface(), depth+1)
	default:
		return &failure{detail: "a Go " + v.Type().String() + " has no JSON form here: convert it to a string or a number first"}
	}
	return nil
}

func (w *goWriter) float(f float64, bits int) *failure {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return &failure{detail: "a number that is not finite has no JSON form"}
	}
	return w.number(strconv.FormatFloat(f, 'g', -1, bits))
}

func (w *goWriter) string(s string) *failure {
	if !utf8.ValidString(s) {
		return &failure{detail: "text that is not UTF-8 has no JSON form"}
	}
	w.text = AppendString(w.text, s)
	return nil
}

func (w *goWriter) slice(v reflect.Value, depth int) *failure {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return &failure{detail: "a Go " + v.Type().String() + " could mean text or numbers: convert it to a string first"}
	}
	if v.Kind() == reflect.Slice && v.IsNil() {
		return w.write(nil, depth)
	}
	w.text = append(w.text, '[')
	for i := range v.Len() {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		if f := w.write(v.Index(i).Interface(), depth+1); f != nil {
			return f.under(strconv.Itoa(i))
		}
	}
	w.text = append(w.text, ']')
	return nil
}

func (w *goWriter) mapping(v reflect.Value, depth int) *failure {
	if v.Type().Key().Kind() != reflect.String {
		return &failure{detail: "a Go " + v.Type().String() + " has keys that are not strings: quote them"}
	}
	if v.IsNil() {
		return w.write(nil, depth)
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return compareUTF16(a.String(), b.String()) })
	w.text = append(w.text, '{')
	for i, k := range keys {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		if f := w.string(k.String()); f != nil {
			return f
		}
		w.text = append(w.text, ':')
		if f := w.write(v.MapIndex(k).Interface(), depth+1); f != nil {
			return f.under(k.String())
		}
	}
	w.text = append(w.text, '}')
	return nil
}

// Go returns v as encoding/json would with UseNumber: nil, bool, json.Number
// (canonical), string, []any and map[string]any, all new. An absent value is
// nil too.
func (v Value) Go() any {
	switch v.Kind() {
	case KindBool:
		return v.Bool()
	case KindNumber:
		return json.Number(v.Number().String())
	case KindString:
		return v.Text()
	case KindArray:
		out := make([]any, 0, v.Len())
		for _, e := range v.Items() {
			out = append(out, e.Go())
		}
		return out
	case KindObject:
		out := make(map[string]any, v.Len())
		for name, m := range v.Fields() {
			out[name] = m.Go()
		}
		return out
	}
	return nil
}
