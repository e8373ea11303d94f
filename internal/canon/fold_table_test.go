// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var update = flag.Bool("update", false, "write decomposition.txt anew")

const tableFile = "decomposition.txt"

// TestDecompositionTable holds the table in the package against the x/text
// module, which the package itself does not import: what the file says is
// exactly what Unicode says.
func TestDecompositionTable(t *testing.T) {
	t.Parallel()
	want := decompositionTable()
	if *update {
		if err := os.WriteFile(tableFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s differs from what Unicode %s says: run the test with -update and review the difference", tableFile, norm.Version)
	}
	if norm.Version != unicode.Version {
		t.Logf("tables of different versions: x/text %s, standard library %s", norm.Version, unicode.Version)
	}
}

func decompositionTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Compatibility decompositions (NFKD) of Unicode %s, without Hangul syllables.\n", norm.Version)
	fmt.Fprintf(&b, "# Derived from the Unicode Character Database, https://www.unicode.org/license.txt\n")
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		to, ok := nfkd(r)
		if !ok {
			continue
		}
		last := r
		for len(to) == 1 {
			next, ok := nfkd(last + 1)
			if !ok || len(next) != 1 || next[0] != to[0]+(last+1-r) {
				break
			}
			last++
		}
		writeLine(&b, r, last, to)
		r = last
	}
	return b.String()
}

func writeLine(b *strings.Builder, first, last rune, to []rune) {
	fmt.Fprintf(b, "%X", first)
	if last > first {
		fmt.Fprintf(b, "-%X", last)
	}
	for _, r := range to {
		fmt.Fprintf(b, " %X", r)
	}
	b.WriteByte('\n')
}

// nfkd is the decomposition of r where it has one that is not arithmetic.
func nfkd(r rune) ([]rune, bool) {
	if r > unicode.MaxRune || unicode.Is(unicode.Hangul, r) && r >= 0xac00 && r <= 0xd7a3 || r >= 0xd800 && r <= 0xdfff {
		return nil, false
	}
	to := norm.NFKD.String(string(r))
	return []rune(to), to != string(r)
}
