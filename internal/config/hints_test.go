// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/internal/config"
)

// TestHints names the programs that are not there and the gate whose approvals
// nobody could give.
func TestHints(t *testing.T) {
	t.Parallel()
	const program = "its program cannot be started here: not found"
	for text, want := range map[string][]string{
		`subjects: [{id: ann, kind: person, roles: [approver], keys: [{hash: "a:0"}]}]`:                                                           nil,
		`subjects: [{id: ann, kind: person, roles: [approver]}]`:                                                                                  {"nobody can approve"},
		`subjects: [{id: ann, kind: person, roles: [admin], keys: [{hash: "a:0"}]}]`:                                                              {"nobody can approve"},
		`subjects: [{id: bot, kind: agent, roles: [approver], keys: [{hash: "a:0"}]}]`:                                                            {"nobody can approve"},
		`upstreams: {a: {command: [there]}, b: {url: "https://x"}, c: {command: [nix]}}`:                                                          {`upstream "c": ` + program, "nobody can approve"},
		`upstreams: {a: {command: ["{data}/bin/there"]}}`:                                                                                         {"nobody can approve"},
		"subjects: [{id: ann, kind: person, keys: [{example: true}]}]\napprovals: {approvers: [\"role:boss\", \"user:ann\"]}":                     nil,
		`subjects: [{id: ann, kind: person, roles: [approver], keys: [{hash: "a:0"}]}, {id: bot, kind: agent, user: Ann, keys: [{hash: "b:0"}]}]`: {`what subject "bot" asks`},
		`subjects: [{id: ann, kind: person, roles: [approver], keys: [{hash: "a:0"}]}, {id: bot, kind: agent, user: bob, keys: [{hash: "b:0"}]}]`: nil,
		"subjects: [{id: ann, kind: person, keys: [{example: true}]}]\napprovals: {approvers: [\"role:ann\"]}":                                    {"no person who is role:ann has a key"},
	} {
		c, err := config.Parse("/etc/gate/c.yaml", []byte("version: 1\npolicies: [p]\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		hints := c.Hints(func(program string) (string, error) {
			if program == "there" || program == "/etc/gate/data/bin/there" {
				return program, nil
			}
			return "", errors.New("not found")
		})
		if len(hints) != len(want) {
			t.Errorf("%s: %v", text, hints)
			continue
		}
		for i, h := range hints {
			if !strings.Contains(h.Message, want[i]) || h.File != "/etc/gate/c.yaml" || h.Line < 1 {
				t.Errorf("%s: %v, want %s", text, h, want[i])
			}
		}
	}
}

// TestSomebodyApprovesInTheExamples: one person who tries a starter can answer
// what its agent asks.
func TestSomebodyApprovesInTheExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples/*/*/toolverdict.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("starters: %v, %v", files, err)
	}
	for _, f := range append(files, "../../examples/orders/toolverdict.yaml") {
		c, err := config.Load(f)
		if err != nil {
			t.Fatal(err)
		}
		if hints := c.Hints(func(program string) (string, error) { return program, nil }); len(hints) > 0 {
			t.Errorf("%s: %v", f, hints)
		}
	}
}

func TestOneKeyIsOneSubjects(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"key-twice", "reference-twice"} {
		_, err := config.Load("testdata/meaning/" + name + ".yaml")
		if err == nil || !strings.Contains(err.Error(), `:5:`) || !strings.Contains(err.Error(), `subject "ann"`) || !strings.Contains(err.Error(), `a key of "agent" already`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
