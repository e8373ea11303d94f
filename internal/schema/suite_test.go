// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema"
)

// TestOfficialSuite runs the JSON Schema project's own tests, which a module
// that the official MCP SDK needs carries for its tests. What must be refused
// here (references out of the document, dynamic references with several targets)
// is refused; everything else must agree.
func TestOfficialSuite(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		return // the module's source is not here, as where dependencies are vendored
	}
	for _, draft := range []struct {
		name, dialect string
		least         int
	}{
		{"draft2020-12", "https://json-schema.org/draft/2020-12/schema", 1000},
		{"draft7", "http://json-schema.org/draft-07/schema#", 850},
	} {
		files, err := filepath.Glob(filepath.Join(dir, "jsonschema", "testdata", draft.name, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files: %v", draft.name, err)
		}
		agreed := 0
		for _, f := range files {
			agreed += runSuiteFile(t, f, draft.dialect)
		}
		if agreed < draft.least {
			t.Errorf("%s: only %d tests were run, want at least %d", draft.name, agreed, draft.least)
		}
	}
}

type suiteGroup struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

func runSuiteFile(t *testing.T, file, dialect string) (agreed int) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []suiteGroup
	if err := json.Unmarshal(src, &groups); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		agree(t, inDialect(g.Schema, dialect))
		s, err := schema.Compile(inDialect(g.Schema, dialect), schema.Options{})
		if err != nil {
			if !strings.Contains(err.Error(), "nothing is fetched") && !strings.Contains(err.Error(), "several possible targets") {
				t.Errorf("%s: %s: %v", filepath.Base(file), g.Description, err)
			}
			continue
		}
		for _, c := range g.Tests {
			v, err := canon.Parse(c.Data, canon.Limits{AllowFoldedSiblings: true})
			if err != nil {
				t.Errorf("%s: %s: %s: %v", filepath.Base(file), g.Description, c.Description, err)
				continue
			}
			if errs := s.Validate(v); (len(errs) == 0) != c.Valid {
				t.Errorf("%s: %s: %s: want valid %v, got %v", filepath.Base(file), g.Description, c.Description, c.Valid, errs)
				continue
			}
			agreed++
		}
	}
	return agreed
}

// inDialect names the dialect where a schema does not.
func inDialect(raw json.RawMessage, dialect string) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members["$schema"] != nil {
		return raw
	}
	members["$schema"] = json.RawMessage(`"` + dialect + `"`)
	out, err := json.Marshal(members)
	if err != nil {
		return raw
	}
	return out
}
