// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package script_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/effect/shell/internal/script"
)

// show writes findings short: "run id", "write ?", "opaque".
func show(found []script.Finding) []string {
	var out []string
	for _, f := range found {
		text := f.Text
		switch {
		case f.Kind == script.Opaque:
			text = ""
		case !f.Known:
			text = "?"
		}
		kind := map[script.Kind]string{script.Run: "run", script.Read: "read", script.Write: "write",
			script.Connect: "connect", script.Opaque: "opaque"}[f.Kind]
		out = append(out, strings.TrimSpace(kind+" "+text))
	}
	return out
}

func TestAwk(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		`{ print $1 }`: nil,
		`BEGIN { FS = ":" } $3 > 100 { n++ } END { print n }`: nil,
		`/rm -rf/ { print "system(\"x\")" }`:                  nil,
		`{ gsub(/a\/b/, "c"); print $0 / 2 }`:                 nil,
		`# system("rm x")`:                                    nil,
		`$1 > $2 { print }`:                                   nil,
		`{ print ($1 > 2) }`:                                  nil,
		`BEGIN { system("id") }`:                              {"run id"},
		`BEGIN { system("rm " f) }`:                           {"run ?"},
		`{ system($0) }`:                                      {"run ?"},
		`{ print | "sh" }`:                                    {"run sh"},
		`BEGIN { "date" | getline d }`:                        {"run date"},
		`{ c = "rm x"; c | getline }`:                         {"run ?"},
		`{ print > "out" }`:                                   {"write out"},
		`{ print >> "out" }`:                                  {"write out"},
		`{ print $1, $2 > $3 ".txt" }`:                        {"write ?"},
		`BEGIN { while ((getline line < "in") > 0) n++ }`:     {"read in"},
		`BEGIN { print "a\x41" > "o" }`:                       {"opaque"}, // awks differ in how long the code is
		"BEGIN { system(\"i\\\nd\") }":                        {"run id"},
	}
	for text, want := range cases {
		if diff := cmp.Diff(want, show(script.Awk(text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestSed(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		`s/a/b/g`:             nil,
		`/start/,/end/p`:      nil,
		`1~2d; $!N; P`:        nil,
		`s|/usr/e|/w out|`:    nil,
		`y/abc/xyz/`:          nil,
		`/e/{s/x/y/;p}`:       nil,
		`a\ e rm x`:           nil,
		`1e rm x`:             {"run rm x"},
		`e`:                   {"run ?"},
		`s/a/b/e`:             {"run ?"},
		`s/a/b/w out`:         {"write out"},
		`/x/w out`:            {"write out"},
		`r in`:                {"read in"},
		`s,a,b,;1e rm x`:      {"run rm x"},
		"s/a/b/\n1e rm x":     {"run rm x"},
		`s/[/]/b/;1e rm x`:    {"opaque"},
		`s/a`:                 {"opaque"},
		`:a;s/x/y/;ta;e rm x`: {"run rm x"},
	}
	for text, want := range cases {
		if diff := cmp.Diff(want, show(script.Sed(text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// FuzzScripts: both readers end, and say why where they do not know.
func FuzzScripts(f *testing.F) {
	for _, text := range []string{`{ print | "sh" }`, `BEGIN { getline < "f" }`, `s/a/b/w f`, `1e rm`, "a\\\ntext", `/[/]`, `"\x`, `y/a`, "getline a["} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, found := range [][]script.Finding{script.Awk(text), script.Sed(text)} {
			for _, one := range found {
				if one.Kind == script.Opaque && one.Text == "" || one.Kind == 0 {
					t.Fatalf("%q: %+v says nothing", text, one)
				}
			}
		}
	})
}
