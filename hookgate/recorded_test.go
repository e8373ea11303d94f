// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/hookgate"
)

var update = flag.Bool("update", false, "write what is read of the recorded inputs")

// TestRecorded: inputs that the agents themselves wrote, at the version that stands in the
// folder's name, are read as testdata/recorded/want.txt says. Their paths are changed, and
// nothing else. e2e/README.md says how to record them.
func TestRecorded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "recorded")
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var got strings.Builder
	for _, file := range files {
		input, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		of := filepath.Base(filepath.Dir(file))
		agent, known := hookgate.Named(of[:strings.LastIndex(of, "-")])
		if !known {
			t.Fatalf("%s: no agent is called so", of)
		}
		e, err := hookgate.Read(agent, input)
		fmt.Fprintf(&got, "%s/%s: %s %s %s synthetic=%v helper=%v folder=%q home=%q failed=%v %v\n", of, filepath.Base(file),
			e.Phase, e.Tool, e.Arguments, e.Synthetic, e.Subagent != hookgate.Subagent{}, e.Folder, e.Home, e.Failed, err)
		for _, other := range hookgate.Agents() {
			if _, err := hookgate.Read(other, input); other != agent && err == nil {
				t.Errorf("%s: %s takes it for its own", file, other)
			}
		}
	}
	golden := filepath.Join(dir, "want.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Error(diff)
	}
}
