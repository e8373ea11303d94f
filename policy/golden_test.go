// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolverdict/toolverdict/policy"
)

var update = flag.Bool("update", false, "write the golden files anew")

// archives reads the txtar files that match a pattern.
func archives(t *testing.T, pattern string) map[string]*txtar.Archive {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	out := map[string]*txtar.Archive{}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = a
	}
	return out
}

// TestErrors holds every refusal to its whole text: the place, what is wrong and
// what to do.
func TestErrors(t *testing.T) {
	t.Parallel()
	for name, a := range archives(t, "testdata/errors/*.txtar") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			for i := 0; i+1 < len(a.Files); i += 2 {
				in, want := a.Files[i], &a.Files[i+1]
				if want.Name != in.Name+".want" {
					t.Fatalf("%s is followed by %s", in.Name, want.Name)
				}
				set, _, err := policy.Compile([]policy.File{{Name: in.Name, Content: in.Data}}, nil, policy.Options{})
				if err == nil || set != nil {
					t.Errorf("%s was accepted", in.Name)
					continue
				}
				placed(t, in.Name, err)
				if *update {
					want.Data = []byte(err.Error() + "\n")
					continue
				}
				if diff := cmp.Diff(string(want.Data), err.Error()+"\n"); diff != "" {
					t.Errorf("%s: (-want +got)\n%s", in.Name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(name, formatArchive(a), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// placed wants every problem to have a place and a hint, in order.
func placed(t *testing.T, file string, err error) {
	t.Helper()
	var problems policy.Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Fatalf("%s: the error is a %T", file, err)
	}
	for i, p := range problems {
		if p.File != file || p.Line < 1 || p.Column < 1 || p.Hint == "" || p.Message == "" {
			t.Errorf("%s: incomplete problem %+v", file, p)
		}
		if i > 0 && (p.Line < problems[i-1].Line || p.Line == problems[i-1].Line && p.Column < problems[i-1].Column) {
			t.Errorf("%s: problems are not in order: %v", file, problems)
		}
		if strings.Contains(p.Message, "failed to") || strings.HasSuffix(p.Message, ".") {
			t.Errorf("%s: not in the house's words: %q", file, p.Message)
		}
	}
}

func formatArchive(a *txtar.Archive) []byte { return txtar.Format(a) }
