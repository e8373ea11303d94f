// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/policy"
)

// blocks returns the YAML blocks of a document as files that can be loaded: a
// policy as it is, rules with a head, a condition in a rule.
func blocks(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, part := range strings.Split(string(text), "```yaml\n") {
		if i == 0 {
			continue
		}
		block, _, closed := strings.Cut(part, "```")
		if !closed {
			t.Fatalf("%s: block %d is not closed", name, i)
		}
		switch {
		case strings.HasPrefix(block, "policy:"):
		case strings.HasPrefix(block, "- id:"):
			block = "policy: p\nversion: v1\nrules:\n" + block
		default:
			block = "policy: p\nversion: v1\nrules:\n- id: r\n  verdict: deny\n  reason: why\n  tools: a/b\n  " + strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n  ") + "\n"
		}
		out = append(out, block)
	}
	return out
}

// TestDocs: every YAML block of the reference loads, is in the published schema,
// and stands in both languages.
func TestDocs(t *testing.T) {
	t.Parallel()
	english, chinese := blocks(t, "../docs/policy.md"), blocks(t, "../docs/policy.zh-CN.md")
	if len(english) < 5 {
		t.Fatalf("only %d blocks", len(english))
	}
	if diff := cmp.Diff(english, chinese); diff != "" {
		t.Errorf("the two languages show different policies: %s", diff)
	}
	s := publishedSchema(t)
	for i, block := range english {
		name := fmt.Sprintf("block%d.yaml", i+1)
		if _, _, err := policy.Compile([]policy.File{{Name: name, Content: []byte(block)}}, nil, policy.Options{}); err != nil {
			t.Errorf("%v", err)
		}
		if doc, ok := document([]byte(block)); !ok || s.Validate(doc) != nil {
			t.Errorf("%s is not in the schema: %v", name, s.Validate(doc))
		}
	}
}

// TestDocsNameEverything: no operator and no field is left out of the reference.
func TestDocsNameEverything(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../docs/policy.md", "../docs/policy.zh-CN.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.FieldsSeq("eq ne in notIn prefix suffix contains glob regex gt gte lt lte between exists type length any every not under domainIn hostIn cidr all " +
			"tool.name tool.server tool.safety tool.risk tool.permission tool.confirmation tool.execution tool.groups subject.id subject.kind subject.user subject.roles subject.permissions subject.authenticated " +
			"agent.id agent.model session.id run.id run.readOnly time.now time.date time.clock time.hour time.minute time.weekday effects.any effects.every kind source path deep names program argv verb known host ip port scheme network recipient domain field amount currency " +
			"query.statement query.verb query.reads query.changes query.columns query.functions query.bounded query.limit opaque effects history cel " +
			"policy version rules define use default timezone description id verdict reason tools when unless ask limit match noMatch tags approvers quorum expires selfApproval escalate after to editorMayApprove clientAttested by max unsafeDefaultAllow")
		for w := range words {
			if !strings.Contains(string(text), "`"+w+"`") && !strings.Contains(string(text), w+":") {
				t.Errorf("%s does not name %s", name, w)
			}
		}
	}
}
