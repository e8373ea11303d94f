// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policyfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/policyfile"
)

func TestRoot(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"a/...": "a", "a/b/...": "a/b", "...": ".", "./...": ".", "/...": "/", "../...": ".."} {
		if got, all := policyfile.Root(path); got != want || !all {
			t.Errorf("%q is all below %q (%t), want %q", path, got, all, want)
		}
	}
	for _, path := range []string{"a", "a...", "", "a/..", "a/.../b"} {
		if got, all := policyfile.Root(path); got != path || all {
			t.Errorf("%q is all below %q (%t)", path, got, all)
		}
	}
}

func TestBelow(t *testing.T) {
	folder(t)
	for name, text := range map[string]string{
		"x/orders/toolverdict.yaml":          "version: 1",
		"x/orders/catalog.yaml":              "tools: {}",
		"x/orders/policy.yaml":               "policy: p\n",
		"x/orders/policy_test.yaml":          "cases: []\n",
		"x/orders/shop.json":                 `{"orders": []}`,
		"x/org/b.yml":                        "# no name\nrules:\n  - {id: a, verdict: deny}\n",
		"x/org/a.json":                       `{"version": "v1", "rules": [{"verdict":"deny"}]}`,
		"x/org/deep/c.yaml":                  "policy: c",
		"x/org/role.yaml":                    "kind: Role\nrules:\n  - verbs: [get]\n",
		"x/org/other_test.yaml":              "steps: []\n",
		"x/.git/d.yaml":                      "policy: d\n",
		"x/org/node_modules/e/e.yaml":        "policy: e\n",
		"x/org/.f.yaml":                      "policy: f\n",
		"x/configured only/toolverdict.yaml": "version: 1",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for at, to := range map[string]string{"x/org/round": "..", "x/org/round.yaml": "..", "x/org/linked.yaml": "deep/c.yaml"} {
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
	}
	found, others, err := policyfile.Below("x")
	if err != nil {
		t.Fatal(err)
	}
	want := []policyfile.Folder{
		{Path: "x/configured only", Configured: true},
		{Path: "x/orders", Configured: true, Policies: []string{"x/orders/policy.yaml"}, Tests: []string{"x/orders/policy_test.yaml"}},
		{Path: "x/org", Policies: []string{"x/org/a.json", "x/org/b.yml", "x/org/linked.yaml"}},
		{Path: "x/org/deep", Policies: []string{"x/org/deep/c.yaml"}},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"x/orders/shop.json", "x/org/other_test.yaml", "x/org/role.yaml"}, others); diff != "" {
		t.Error(diff)
	}
	if _, _, err := policyfile.Below("nowhere"); err == nil {
		t.Error("a folder that is not there")
	}
}
