// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package drive

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

const configuration = `version: 1
policies: [policy.yaml]
catalogs: [disk.yaml]
data: data
stdio: {subject: agent}
hooks: {agents: [AGENT], workspace: PROJECT, home: HOME}
subjects:
  - {id: agent, kind: agent, keys: [{example: true}]}
  - {id: me, kind: person, roles: [approver], keys: [{example: true}]}
`

// rules let the agent work in its project, and ask before a release.
const rules = `policy: work
version: v1
rules:
  - id: allow-work
    verdict: allow
    reason: Work in the project
    tools: ["group:shell", "group:files"]
    when: {effects.every: {any: [{path: {under: [PROJECT]}}, {kind: execute, known: true}]}}
  - {id: allow-talk, verdict: allow, reason: Helpers and lists touch nothing, tools: ["group:agents", "group:notes", "group:search"]}
  - id: ask-release
    verdict: ask
    reason: A release is for a person to allow
    tools: ["group:shell", "group:files"]
    when: {effects.any: {kind: {eq: write, ne: opaque}, path: {exists: true, under: [PROJECT/release]}}}
  - id: deny-outside
    verdict: deny
    reason: What is there is not the agent's
    tools: ["group:shell", "group:files"]
    when: {effects.any: {kind: {in: [write, delete], ne: opaque}, path: {exists: true, under: [OUTSIDE]}}}
`

// diskCatalog describes one tool of the MCP server "disk".
const diskCatalog = `tools:
  disk/write_file:
    safety: destructive
    risk: low
    groups: [files]
    roles: {/path: {role: path, uses: [write], verbatim: true}}
    schema: {type: object, properties: {path: {type: string}, content: {type: string}}, required: [path, content], additionalProperties: false}
`

var asked = regexp.MustCompile(`Confirmation id: ([a-z0-9]+)`)

// Asked is the id of the confirmation that a denial names.
func Asked(t *testing.T, text string) string {
	t.Helper()
	m := asked.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no confirmation is named in: %s", text)
	}
	return m[1]
}

// Defer has the gate pause runs that nobody attends.
func (s *Stage) Defer(t *testing.T) {
	t.Helper()
	s.Put(t, filepath.Join(s.Own(), "toolverdict.yaml"), strings.Replace(s.fill(configuration), "hooks: {", "hooks: {defer: true, ", 1))
}

// Asked is the id of the one confirmation that waits.
func (s *Stage) Asked(t *testing.T) string {
	t.Helper()
	var id string
	s.approvals(t, func(ctx context.Context, desk *approval.Desk) error {
		waiting, err := desk.List(ctx, person(), tv.ApprovalQuery{})
		if err == nil && len(waiting) != 1 {
			err = fmt.Errorf("%d confirmations wait, not one", len(waiting))
		}
		if err == nil {
			id = waiting[0].ID
		}
		return err
	})
	return id
}

// Approve says yes as a person would, in the gate's store.
func (s *Stage) Approve(t *testing.T, id string) {
	t.Helper()
	s.approvals(t, func(ctx context.Context, desk *approval.Desk) error {
		_, err := desk.Approve(ctx, person(), id, "yes")
		return err
	})
}

func person() tv.Subject { return tv.Subject{ID: "me", Kind: tv.Person, Roles: []string{"approver"}} }

// approvals opens the gate's store for a person.
func (s *Stage) approvals(t *testing.T, do func(context.Context, *approval.Desk) error) {
	t.Helper()
	ctx := context.Background()
	store, err := sqlite.Open(ctx, sqlite.Config{Dir: s.Data(), Node: secret.NewID(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	desk, err := approval.New(approval.Config{Store: store, Now: time.Now, NewID: secret.NewID, Text: strings.Clone, Approvers: []string{"role:approver"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := do(ctx, desk); err != nil {
		t.Fatal(err)
	}
}
