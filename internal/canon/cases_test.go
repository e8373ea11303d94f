// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// sharedCases is where a collection of attacks and benign look-alikes lies that
// is not part of the repository.
const sharedCases = "../../../shared/cases/shared.jsonl"

type sharedCase struct {
	ID, Kind, Expect string
	Call             struct {
		Raw    *string         `json:"args_raw"`
		Base64 []byte          `json:"args_raw_b64"`
		Args   json.RawMessage `json:"args"`
	}
}

func readCases(t *testing.T) []sharedCase {
	t.Helper()
	file, err := os.Open(sharedCases)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var cases []sharedCase
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c sharedCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

// refundNames are the declared arguments of the tool in the cases of kind json.
func refundNames() canon.NameSet {
	return canon.NewNameSet([]string{"order_id", "amount", "currency", "confirm", "tags", "note", "labels"})
}

// Every case of kind json is decided as expected by strict reading and the names
// of the tool's schema. Where a text is benign because an object without a
// schema may hold keys that differ only in case, it is read so that such keys
// are compared against the schema alone.
func TestSharedJSONCases(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t) {
		if c.Kind != "json" {
			continue
		}
		raw := c.Call.Base64
		if c.Call.Raw != nil {
			raw = []byte(*c.Call.Raw)
		}
		_, strict := canon.ParseObject(raw, canon.Limits{})
		v, err := canon.ParseObject(raw, canon.Limits{AllowFoldedSiblings: true})
		_, _, clash := refundNames().Clash(v)
		siblings := foldedSiblings(v)
		if accepted := err == nil && !clash && !siblings; accepted != (c.Expect == "allow") {
			t.Errorf("%s: want %s; %v, clash %t, siblings %t", c.ID, c.Expect, err, clash, siblings)
		}
		var refused *canon.SyntaxError
		if errors.As(strict, &refused) && c.Expect == "allow" && refused.Reason != canon.ReasonFoldedKey {
			t.Errorf("%s: refused: %v", c.ID, strict)
		}
	}
}

func foldedSiblings(v canon.Value) bool {
	seen := map[string]bool{}
	for name := range v.Fields() {
		if seen[canon.Fold(name)] {
			return true
		}
		seen[canon.Fold(name)] = true
	}
	return false
}

// Arguments of the other kinds are hostile in what they say, not in how they are
// written: all of them are read, as encoding/json reads them.
func TestSharedArgumentsAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t) {
		if len(c.Call.Args) == 0 {
			continue
		}
		v, err := canon.Parse(c.Call.Args, canon.Limits{})
		if err != nil {
			t.Errorf("%s: want %s; %v", c.ID, c.Expect, err)
			continue
		}
		sameAsStandard(t, c.Call.Args, v)
	}
}
