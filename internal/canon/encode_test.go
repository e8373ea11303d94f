// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolverdict/toolverdict/internal/canon"
)

type stored struct {
	Args  canon.Value  `json:"args"`
	Extra canon.Value  `json:"extra,omitzero"`
	Total canon.Number `json:"total"`
}

func TestJSON(t *testing.T) {
	t.Parallel()
	in := stored{Args: parse(t, `{ "b":1.0, "a":"<" }`), Total: number(t, "12.50")}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(in); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"args":{"a":"<","b":1},"total":12.5}`+"\n", b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var out stored
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	if !canon.Equal(in.Args, out.Args) || out.Total != in.Total || !out.Extra.IsZero() {
		t.Errorf("there and back: %s", out.Args.RawText())
	}
	if _, err := json.Marshal(struct{ V canon.Value }{}); err == nil || !strings.Contains(err.Error(), "omitzero") {
		t.Errorf("an absent value was written: %v", err)
	}
}

// encoding/json accepts more than this package does: reading through it is
// strict all the same.
func TestUnmarshalIsStrict(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`{"args":{"a":1,"a":2}}`, `{"args":"\ud800"}`, `{"args":[1e400]}`, `{"total":"1"}`, `{"total":-0}`, `{"total":null}`} {
		var out stored
		if err := json.Unmarshal([]byte(in), &out); err == nil {
			t.Errorf("accepted %s", in)
		}
	}
}

// However a value is printed, by accident or not, its content stays out.
func TestPrintingShowsNothing(t *testing.T) {
	t.Parallel()
	values := map[string]canon.Value{
		"object of 1 members": parse(t, `{"password":"hunter2"}`), "array of 2 elements": parse(t, `["hunter2",1]`),
		"string of 7 bytes": parse(t, `"hunter2"`), "number": parse(t, `4711`), "boolean": parse(t, `true`), "null": parse(t, `null`), "absent": {},
	}
	for want, v := range values {
		var text, js bytes.Buffer
		slog.New(slog.NewTextHandler(&text, nil)).Info("x", "v", v)
		slog.New(slog.NewJSONHandler(&js, nil)).Info("x", "v", v)
		printed := []string{v.String(), fmt.Sprint(v), fmt.Sprintf("%v %+v %#v %s %q %x %d", v, v, v, v, v, v, v), fmt.Sprint([]canon.Value{v}), text.String(), js.String()}
		for _, p := range printed {
			if !strings.Contains(p, want) || strings.Contains(p, "hunter2") || strings.Contains(p, "4711") || strings.Contains(p, "password") {
				t.Errorf("%s is printed as %s", want, p)
			}
		}
	}
}
