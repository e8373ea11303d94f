// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	main "github.com/toolverdict/toolverdict/cmd/toolverdict"
	"github.com/toolverdict/toolverdict/internal/config"
)

// TestManualNamesEverything holds docs/cli.md to the commands and exit codes
// that there are.
func TestManualNamesEverything(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, command := range main.Commands() {
		if !strings.Contains(text, "`"+command+"`") && !strings.Contains(text, "`"+command+" ") {
			t.Errorf("docs/cli.md does not tell of %q", command)
		}
	}
	named := regexp.MustCompile("`(toolverdict(?: [a-z]+)+)").FindAllStringSubmatch(text, -1)
	for _, m := range named {
		if !strings.Contains(strings.Join(main.Commands(), "\n")+"\n", m[1]) {
			t.Errorf("docs/cli.md tells of %q, which there is not", m[1])
		}
	}
	for code := range 7 {
		if !strings.Contains(text, "\n| "+string(rune('0'+code))+" | ") {
			t.Errorf("docs/cli.md does not explain exit code %d", code)
		}
	}
}

// TestConfigurationIsDocumented holds docs/config.md to the keys that there are.
func TestConfigurationIsDocumented(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(config.JSONSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	keys := 0
	for part, def := range schema.Defs {
		for key := range def.Properties {
			keys++
			if !strings.Contains(string(b), "`"+key+"`") && !strings.Contains(string(b), "{"+key+": ") {
				t.Errorf("docs/config.md does not tell of %s.%s", part, key)
			}
		}
	}
	if keys < 40 {
		t.Errorf("the schema has only %d keys: is it read at all?", keys)
	}
}
