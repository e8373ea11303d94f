// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package arch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFuzzScript: a run that fuzzes nothing must not look like one that found
// nothing.
func TestFuzzScript(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../../scripts/fuzz.sh")
	if err != nil {
		t.Fatal(err)
	}
	const target = "package fz\n\nimport \"testing\"\n\nfunc FuzzIt(f *testing.F) { BODY }\n"
	cases := map[string]struct {
		body, want string
		pass       bool
	}{
		"runs":      {`f.Fuzz(func(t *testing.T, b []byte) {})`, "fz.FuzzIt", true},
		"finds":     {`f.Fuzz(func(t *testing.T, b []byte) { t.Error() })`, "FuzzIt failed", false},
		"skips":     {`f.SkipNow()`, "reports no execution", false},
		"no target": {``, "nothing was fuzzed", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "go.mod"), "module example.com/fz\n\ngo 1.26\n")
			write(t, filepath.Join(dir, "fz.go"), "package fz\n")
			if c.body != "" {
				write(t, filepath.Join(dir, "fz_test.go"), strings.Replace(target, "BODY", c.body, 1))
			}
			run := exec.CommandContext(t.Context(), "bash", script, "smoke")
			run.Env = append(os.Environ(), "FUZZ_ROOT="+dir, "SMOKE_SECONDS=1", "GOFLAGS=-mod=mod")
			output, err := run.CombinedOutput()
			if (err == nil) != c.pass || !strings.Contains(string(output), c.want) {
				t.Errorf("passed: %v, want %v and %q in:\n%s", err == nil, c.pass, c.want, output)
			}
		})
	}
}

// TestRatios: the table of ratios names the baseline it used.
func TestRatios(t *testing.T) {
	t.Parallel()
	input := filepath.Join(t.TempDir(), "bench.txt")
	write(t, input, `goos: linux
BenchmarkAlone-2         1000       2131 ns/op     1024 B/op     4 allocs/op
BenchmarkGrow/10-2       1000        500 ns/op
BenchmarkGrow/10000-2    1000       1200.5 ns/op   0 B/op
BenchmarkCall/group-2    1000      90000 ns/op     11000 calls/s
BenchmarkCall/baseline-one-fsync-2  1000    1800000 ns/op
BenchmarkSingle/only-2   1000          1 ns/op
ok  	example.com/m	1.0s
`)
	output, err := exec.CommandContext(t.Context(), "awk", "-f", "../../scripts/ratios.awk", input).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(output)) {
		if words := strings.Join(strings.Fields(line), " "); words != "" {
			got = append(got, words)
		}
	}
	want := []string{
		"Grow, against 10",
		"10 500.0 ns 1.00x",
		"10000 1.20 us 2.40x",
		"Call, against baseline-one-fsync",
		"group 90.00 us 0.05x",
		"baseline-one-fsync 1.80 ms 1.00x",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ratios (-want +got):\n%s", diff)
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
