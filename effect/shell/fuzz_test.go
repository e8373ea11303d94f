// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell"
)

// FuzzAnalyse holds the analyser to what every text must give: an answer, the
// same each time, well formed, and no less than what stands before it.
func FuzzAnalyse(f *testing.F) {
	for _, name := range []string{"benign.txt", "acting.txt"} {
		for _, c := range readCases(f, name) {
			f.Add(c.command, false)
		}
	}
	for _, s := range []string{"", "(", "$(", "'", "a\\", "cat <<E\n", "((", "`", "${x:-'", "# \\\nrm x", "x=$x$x;", "\x00", "\xff", "a\r\n", "a\rb"} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, posix bool) {
		o := shell.Options{Dir: "/srv/app", Root: "/srv/app", Home: "/home/user"}
		if posix {
			o.Platform = shell.POSIX
		}
		effects := shell.Analyse(text, o)
		if diff := cmp.Diff(effects, shell.Analyse(text, o)); diff != "" {
			t.Fatalf("two answers to %q:\n%s", text, diff)
		}
		for _, e := range effects {
			checkForm(t, text, e)
		}
		if isOpaque(effects) || len(text) > 8<<10 || strings.HasSuffix(text, "\\") || !utf8.ValidString(text) {
			return
		}
		// A command more never hides what the ones before it do.
		more := shell.Analyse(text+"\n: more\n", o)
		if isOpaque(more) {
			return
		}
		for _, e := range effects {
			if !contains(more, e) {
				t.Fatalf("%q: a command behind it removed %+v", text, e)
			}
		}
	})
}

func contains(effects []toolverdict.Effect, want toolverdict.Effect) bool {
	for _, e := range effects {
		if cmp.Equal(e, want) {
			return true
		}
	}
	return false
}

// checkForm checks one effect: only the fields of its kind, paths absolute and
// clean.
func checkForm(t *testing.T, text string, e toolverdict.Effect) {
	t.Helper()
	bad := func(what string) { t.Fatalf("%q: %s: %+v", text, what, e) }
	switch e.Kind {
	case toolverdict.EffectRead, toolverdict.EffectWrite, toolverdict.EffectDelete:
		if e.Path != "" && (!strings.HasPrefix(e.Path, "/") || e.Path != "/" && strings.HasSuffix(e.Path, "/") || strings.Contains(e.Path+"/", "/../") || strings.Contains(e.Path, "//")) {
			bad("the path is not clean")
		}
		if e.Pattern != "" && (!e.Deep || !strings.HasPrefix(e.Pattern, "/")) {
			bad("the pattern stands alone")
		}
		if strings.ContainsAny(e.Path, "\x00\x01\x02") || strings.ContainsAny(e.Pattern, "\x00\x01\x02") {
			bad("a hole shows")
		}
	case toolverdict.EffectExecute:
		if e.Program == "" && e.Known {
			bad("a program without a name is known")
		}
		if strings.ContainsAny(e.Program, "\x00\x01\x02") || strings.ContainsAny(strings.Join(e.Argv, ""), "\x01\x02") {
			bad("a hole shows")
		}
	case toolverdict.EffectOpaque:
		if e.Detail == "" {
			bad("opaque without a reason")
		}
	case toolverdict.EffectConnect, toolverdict.EffectSend, toolverdict.EffectQuery:
	default:
		bad("a kind that a shell has not")
	}
}
