// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package arch_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// fill returns Go text of a package clause and so many more lines.
func fill(n int) string { return "package p\n" + strings.Repeat("\n", n-1) }

// TestSizes builds trees that are too long to keep as fixtures: each limit just
// kept and just broken.
func TestSizes(t *testing.T) {
	t.Parallel()
	function := func(n int) string {
		return "package p\nfunc F() {\n" + strings.Repeat("\n", n-2) + "}\nfunc (t *T) M() {\n" + strings.Repeat("\n", n-2) + "}\n"
	}
	fields := func(n int, typ, tag string) string {
		return "package p\ntype " + typ + " struct {\n" + strings.Repeat("A, B int "+tag+"\n", n/2) + strings.Repeat("C int\n", n%2) + "}\n"
	}
	imports := func(n int) string {
		text := "package p\n"
		for i := range n {
			text += fmt.Sprintf("import _ \"example.com/m/x%d\"\nimport _ \"example.com/m/x%d\"\n", i, i)
		}
		return text + "import _ \"fmt\"\n"
	}
	many := map[string]string{}
	for i := range 13 {
		many[fmt.Sprintf("p/%d.go", i)] = fill(100)
		many[fmt.Sprintf("p/%d_test.go", i)] = fill(100)
		many[fmt.Sprintf("q/%d.go", i%12)] = fill(200)
		many[fmt.Sprintf("r/%d.go", i%6)] = fill(417)
	}
	cases := map[string]struct {
		files map[string]string
		want  []string
	}{
		"files": {map[string]string{
			"a/a.go": fill(500), "a/b.go": fill(501), "a/a_test.go": fill(800), "a/b_test.go": fill(801),
			"gate.go": fill(201), "x/gate.go": fill(201), "AGENTS.md": strings.Repeat("\n", 61),
		}, []string{
			"AGENTS.md: file-lines: 61 lines, at most 60",
			"a/b.go: file-lines: 501 lines, at most 500",
			"a/b_test.go: file-lines: 801 lines, at most 800",
			"gate.go: file-lines: 201 lines, at most 200",
		}},
		"functions": {map[string]string{"a/a.go": function(80), "b/b.go": function(81), "b/b_test.go": function(81)}, []string{
			"b/b.go:2: function-lines: F: 81 lines, at most 80",
			"b/b.go:83: function-lines: T.M: 81 lines, at most 80",
		}},
		"parameters": {map[string]string{"a/a.go": "package p\nfunc F(a, b int, c, d, e string)\nfunc G(a, b int, c, d, e string, f ...int)\n"}, []string{
			"a/a.go:3: parameters: G: 6 parameters, at most 5",
		}},
		"structs": {map[string]string{
			"a/a.go": fields(12, "T", ""), "b/b.go": fields(13, "T", ""), "c/c.go": fields(13, "T", "`json:\"a\"`"),
			"d/d.go": fields(13, "FrontConfig", ""), "internal/config/c.go": fields(13, "T", ""),
		}, []string{"b/b.go:2: struct-fields: T: 13 fields, at most 12"}},
		"interfaces": {map[string]string{
			"a/a.go": "package p\ntype I interface { A(); B(); C(); D() }\ntype J interface { A(); B(); C(); D(); E() }\n" +
				"type K interface { I; J; fmt.Stringer; error; A() }\n",
		}, []string{"a/a.go:3: interface-methods: J: 5 methods, at most 4"}},
		"packages": {many, []string{
			"p: package-files: 13 files, at most 12",
			"r: package-lines: 2502 lines, at most 2500",
		}},
		"imports": {map[string]string{"a/a.go": imports(7), "b/b.go": imports(8), "standard/a.go": imports(8)}, []string{
			"b: package-imports: 8 packages of ours imported, at most 7",
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"go.mod": "module example.com/m\n"}
			maps.Copy(files, c.files)
			if diff := cmp.Diff(c.want, found(t, checkSizes, files)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWords builds the banned words from pieces, as the rule itself does.
func TestWords(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		file, text string
		bad        bool
	}{
		"machine path":          {"a.md", "see /wo" + "rk/main", true},
		"machine path, quoted":  {"a.yaml", `x: "/fa` + `rm/x"`, true},
		"part of a longer path": {"a.md", "see /home/wo" + "rk/x", false},
		"a word after a slash":  {"a.md", "see ~/wo" + "rkshop/", false},
		"registry":              {"package-lock.json", "https://registry.npm" + "js.org/x", true},
		"go.sum is exempt":      {"tools/go.sum", "proxy.go" + "lang.org v1", false},
		"loose end in Go":       {"a.go", "package a // TO" + "DO", true},
		"loose end in prose":    {"a.md", "TO" + "DO list example", false},
		"skipped test":          {"a_test.go", "package a\n// t.Sk" + "ip()", true},
		"part of a longer word": {"a.go", "package a // MASTO" + "DON", false},
		"binary":                {"a.db", "\x00 /wo" + "rk/main", false},
		"testdata counts":       {"testdata/a.txt", "/wo" + "rk/", true},
		"fetched does not":      {"node_modules/a.txt", "/wo" + "rk/", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := found(t, checkWords, map[string]string{c.file: c.text}); (len(got) > 0) != c.bad {
				t.Errorf("found %q, want a problem: %v", got, c.bad)
			}
		})
	}
}

// TestUnreadable: a Go file that cannot be parsed cannot be checked, so the
// tree does not load.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	if _, err := load(fstest.MapFS{"a.go": {Data: []byte("package")}}); err == nil {
		t.Error("a broken file loaded")
	}
}

// TestTables: the tables themselves name what exists in the rules.
func TestTables(t *testing.T) {
	t.Parallel()
	for _, lib := range libraries {
		if len(lib.homes) > 1 && len(lib.reason) < 20 {
			t.Errorf("%s has %d homes and no reason", lib.prefix, len(lib.homes))
		}
		for _, home := range lib.homes {
			if _, ok := placeOf(home); !ok {
				t.Errorf("%s lives in %s, which has no floor", lib.prefix, home)
			}
		}
	}
	for _, dir := range append(append([]string{}, testOnly...), manyImports...) {
		if _, ok := placeOf(dir); !ok {
			t.Errorf("%s has no floor", dir)
		}
	}
}
