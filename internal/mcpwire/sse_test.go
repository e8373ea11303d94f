// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

func readAll(in io.Reader, limit int) ([]mcpwire.Event, error) {
	r := mcpwire.NewStreamReader(in, limit)
	var out []mcpwire.Event
	for {
		e, err := r.Next()
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
}

// lineEnds compares what is passed on as readers of event streams see it.
func lineEnds() cmp.Option {
	same := func(b []byte) string {
		return strings.ReplaceAll(strings.ReplaceAll(string(b), "\r\n", "\n"), "\r", "\n")
	}
	return cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Raw" },
		cmp.Comparer(func(a, b []byte) bool { return same(a) == same(b) }))
}

// TestStreamReaderDoesNotWait holds that an event is passed on, whole, as soon as
// its end is there.
func TestStreamReaderDoesNotWait(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		in, out := io.Pipe()
		r := mcpwire.NewStreamReader(in, 0)
		go func() { _, _ = io.WriteString(out, "data: x"+end) }()
		e, err := r.Next()
		if err != nil || string(e.Data) != "x" || !strings.HasSuffix(string(e.Raw), "\n") && end != "\r\r" {
			t.Errorf("%q: got %q, %v", end, e.Raw, err)
		}
		in.Close()
	}
}

func TestStreamReader(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want []mcpwire.Event
		err  error
	}{
		"message":        {"data: {}\n\n", []mcpwire.Event{{Data: []byte("{}"), Raw: []byte("data: {}\n\n")}}, io.EOF},
		"all fields":     {"event: message\nid: a_1\nretry: 10\ndata:x\n\n", []mcpwire.Event{{ID: "a_1", HasID: true, Type: "message", Retry: "10", Data: []byte("x"), Raw: []byte("event: message\nid: a_1\nretry: 10\ndata:x\n\n")}}, io.EOF},
		"two data lines": {"data: [\ndata: 1]\n\n", []mcpwire.Event{{Data: []byte("[\n1]"), Raw: []byte("data: [\ndata: 1]\n\n")}}, io.EOF},
		"carriage returns": {"data: a\r\rdata: b\r\n\r\n", []mcpwire.Event{
			{Data: []byte("a"), Raw: []byte("data: a\r\r")}, {Data: []byte("b"), Raw: []byte("data: b\r\n\r\n")}}, io.EOF},
		"comment": {": ping\n\ndata: x\n\n", []mcpwire.Event{
			{Raw: []byte(": ping\n")}, {Data: []byte("x"), Raw: []byte("\ndata: x\n\n")}}, io.EOF},
		"comment inside":  {"data: x\n: y\n\n", []mcpwire.Event{{Data: []byte("x"), Raw: []byte("data: x\n: y\n\n")}}, io.EOF},
		"priming":         {"id: s_0\nevent: prime\n\n", []mcpwire.Event{{ID: "s_0", HasID: true, Type: "prime", Raw: []byte("id: s_0\nevent: prime\n\n")}}, io.EOF},
		"empty id":        {"id\ndata: x\n\n", []mcpwire.Event{{HasID: true, Data: []byte("x"), Raw: []byte("id\ndata: x\n\n")}}, io.EOF},
		"id with NUL":     {"id: a\x00\ndata: x\n\n", []mcpwire.Event{{Data: []byte("x"), Raw: []byte("id: a\x00\ndata: x\n\n")}}, io.EOF},
		"byte order mark": {"\ufeffdata: x\n\n", []mcpwire.Event{{Data: []byte("x"), Raw: []byte("\ufeffdata: x\n\n")}}, io.EOF},
		"cut in an event": {"data: x\n", nil, io.ErrUnexpectedEOF},
		"cut in a line":   {"data: x", nil, io.ErrUnexpectedEOF},
		"nothing":         {"", nil, io.EOF},
		"unknown field":   {"foo: bar\n\n", []mcpwire.Event{{Raw: []byte("foo: bar\n\n")}}, io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(strings.NewReader(c.in), 0)
			if !errors.Is(err, c.err) {
				t.Errorf("got error %v, want %v", err, c.err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			pieces, err := readAll(iotest.OneByteReader(strings.NewReader(c.in)), 0)
			if diff := cmp.Diff(got, pieces, lineEnds()); diff != "" || !errors.Is(err, c.err) {
				t.Errorf("reads differently in pieces: %s %v", diff, err)
			}
		})
	}
}

func TestStreamReaderLimit(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"one line":   "data: " + strings.Repeat("x", 10_000) + "\n\n",
		"many lines": strings.Repeat("data: x\n", 2_000) + "\n",
		"no end":     strings.Repeat("x", 100_000),
	} {
		if _, err := readAll(strings.NewReader(in), 5_000); !errors.Is(err, mcpwire.ErrTooLarge) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestAppendEvent holds that what is written reads back as what it was, and that
// nothing in a message or an id can begin another field or event.
func TestAppendEvent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := mcpwire.Event{
			ID: rapid.StringOf(rapid.RuneFrom([]rune("ab\n\r\x00: "))).Draw(t, "id"), HasID: rapid.Bool().Draw(t, "has id"),
			Type: rapid.StringOf(rapid.RuneFrom([]rune("ab\n\r: "))).Draw(t, "type"),
			Data: []byte(rapid.StringOf(rapid.RuneFrom([]rune("{}\"a\n\r: "))).Draw(t, "data")),
		}
		got, err := readAll(bytes.NewReader(mcpwire.AppendEvent(nil, e)), 0)
		if !errors.Is(err, io.EOF) || len(got) > 1 {
			t.Fatalf("got %d events, %v", len(got), err)
		}
		want := strings.FieldsFunc(string(e.Data), func(r rune) bool { return r == '\n' || r == '\r' })
		var data []byte
		if len(got) == 1 {
			data = got[0].Data
		}
		if strings.Join(want, "\n") != string(data) {
			t.Fatalf("got %q, want %q", data, want)
		}
	})
}

func TestReplacedKeepsAnEventUntouched(t *testing.T) {
	t.Parallel()
	raw := "id: 7\ndata: {\"a\":1}\nretry: 5\n\n"
	events, _ := readAll(strings.NewReader(raw), 0)
	if got := mcpwire.AppendEvent(nil, events[0].Replaced([]byte(`{"a":1}`))); string(got) != raw {
		t.Errorf("an unchanged event was rewritten: %q", got)
	}
	if got, want := string(mcpwire.AppendEvent(nil, events[0].Replaced([]byte(`{}`)))), "id: 7\nretry: 5\ndata: {}\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	in := []byte("{\n\"a\":\r\n1}")
	if got := mcpwire.OneLine(in); string(got) != "{ \"a\":  1}" || string(in) != "{\n\"a\":\r\n1}" {
		t.Errorf("got %q, left %q", got, in)
	}
	if got := mcpwire.OneLine([]byte(" \r\n{\"a\":1} \t\r\n")); string(got) != `{"a":1}` { // servers end at what follows it
		t.Errorf("got %q", got)
	}
	same := []byte(`{"a":"\n"}`)
	if got := mcpwire.OneLine(same); &got[0] != &same[0] {
		t.Error("copied what was one line already")
	}
}

// FuzzStreamReader holds that every byte read is in exactly one event, in order,
// however the bytes arrive.
func FuzzStreamReader(f *testing.F) {
	for _, s := range []string{"data: {}\n\n", ": c\n\nid: 1\ndata: x\r\n\r\n", "data: a\rdata: b\r\r", "\n\n\n\ndata\n\n", "\ufeff:\n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, err := readAll(bytes.NewReader(b), 1<<16)
		bitwise, err2 := readAll(iotest.OneByteReader(bytes.NewReader(b)), 1<<16)
		if diff := cmp.Diff(whole, bitwise, lineEnds()); diff != "" || !errors.Is(err2, err) {
			t.Fatalf("reads differently in pieces: %s %v %v", diff, err, err2)
		}
		var raw []byte
		for _, e := range whole {
			raw = append(raw, e.Raw...)
		}
		plain := func(b []byte) []byte {
			return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		}
		if !bytes.HasPrefix(plain(b), plain(raw)) {
			t.Fatalf("passed on %q of %q", raw, b)
		}
	})
}
