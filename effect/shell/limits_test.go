// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell"
)

// fill repeats a text up to a size.
func fill(text string, size int) string { return strings.Repeat(text, size/len(text)+1)[:size] }

// hostile are texts that cost a careless reader more time, memory or stack than
// they are long.
func hostile() map[string]string {
	const most = 64 << 10 // as long as a text is looked at
	texts := map[string]string{
		"functions that call two":    fanOut("f%d() { f%d; f%d; }\n", 2000) + "f0",
		"aliases of aliases":         fanOut("alias f%d='f%d; f%d'\n", 1500) + "f0",
		"doubled values":             "x=a\n" + fill("x=$x$x\n", 4000) + "rm $x",
		"doubled arguments":          "set -- a b\n" + fill("set -- \"$@\" \"$@\"\n", 4000) + "rm \"$@\"",
		"doubled arrays":             "a=(a b)\n" + fill("a=(\"${a[@]}\" \"${a[@]}\")\n", 4000) + "rm \"${a[@]}\"",
		"braces of braces":           "rm " + fill("{a,b}", most-10),
		"braces in braces":           "rm " + strings.Repeat("{a,", 8000) + strings.Repeat("}", 8000),
		"loops in loops":             strings.Repeat("for i in 1 2 3 4 5 6; do x=$x$i; ", 400) + strings.Repeat("done; ", 400),
		"loops that change much":     "while t; do " + fill("a=$b; b=$c; c=$d; d=$a; cd $a; ", 30000) + "done",
		"ifs in ifs":                 strings.Repeat("if a; then x=1; ", 2000) + strings.Repeat("fi; ", 2000),
		"branches that differ":       branches(1200),
		"shells in shells":           nestedShells(12),
		"evals in evals":             fill("eval ", most-10) + "rm x",
		"runners in runners":         fill("sudo nice env ", most-10) + "rm x",
		"finds in finds":             fill("find . -exec ", most-10) + "rm x",
		"xargs in xargs":             fill("xargs -n1 ", most-10) + "rm x",
		"substitutions":              fill("$(", most),
		"closed substitutions":       strings.Repeat("$(a ", 15000) + strings.Repeat(")", 4000),
		"backquotes":                 fill("`a\\`", most),
		"parentheses":                fill("(", most),
		"arithmetic":                 "echo $((" + fill("(1+", 30000),
		"long sum":                   "echo $((" + fill("1+", most-20) + "1))",
		"groups":                     fill("{ ", most),
		"quotes":                     fill("'\"", most),
		"parameters in parameters":   fill("${a:-", most),
		"a long pipeline":            fill("a|", most-2) + "a",
		"a long list":                fill("rm a;", most),
		"many different files":       numbered("rm f%d\n", 6000),
		"many different programs":    numbered("p%d x\n", 6000),
		"many folders":               numbered("cd d%d || ", 4000) + "rm x",
		"many links":                 numbered("ln -s d%d e\n", 4000) + "rm e/x",
		"many variables":             numbered("v%d=a\n", 5000) + "f() { rm $v1; }; f; f; f",
		"a long word":                "rm " + fill("a", most-10),
		"a long path":                "rm /" + fill("../a/", most-10),
		"a long glob":                "rm " + fill("*?[a]", most-10),
		"many globs":                 "rm " + fill("* ", most-10),
		"here-documents":             fill("cat <<E\n$(a)\nE\n", most),
		"here-documents without end": fill("cat <<E\n", most),
		"a long sed program":         "sed '" + fill("s/a/b/;", most-20) + "' f",
		"a long awk program":         "awk '" + fill("{ x[$1] = y[x] }", most-20) + "' f",
		"a sed program of brackets":  "sed '" + fill("s/[", most-20) + "' f",
		"cases":                      "case x in " + fill("a|", most-40) + "b) rm x;; esac",
		"tests":                      "[[ " + fill("( ! ", most-10),
		"redirections":               "a " + fill(">b ", most-10),
		"assignments":                fill("a=b ", most-4) + "rm x",
		"escapes":                    "rm $'" + fill("\\x61", most-20) + "'",
		"comments":                   fill("# \\\n", most),
		"carriage returns":           fill("a\r\n", most),
		"bytes":                      fill("\xff\xfe\x80", most),
	}
	for name, text := range texts {
		if len(text) > most {
			texts[name] = text[:most]
		}
	}
	texts["a mebibyte of one word"] = fill("a", 1<<20)
	texts["a mebibyte of commands"] = fill("rm a; ", 1<<20)
	texts["a mebibyte of parentheses"] = fill("(", 1<<20)
	texts["a mebibyte of quotes"] = fill("'", 1<<20)
	return texts
}

func fanOut(form string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i, i+1, i+1)
	}
	return b.String()
}

func numbered(form string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

func branches(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "if a; then v%d=1; cd d%d; else v%d=2; fi\n", i%40, i, i%40)
	}
	return b.String() + "rm $v1"
}

// nestedShells quotes "bash -c" inside of itself, which doubles the text.
func nestedShells(n int) string {
	text := "rm x"
	for range n {
		text = "bash -c '" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

// TestLimits: every text gets an answer, for at most 64 MiB. How long it takes
// is measured by BenchmarkHostile.
func TestLimits(t *testing.T) {
	for name, text := range hostile() {
		for _, platform := range []shell.Platform{shell.Bash, shell.POSIX} {
			o := options
			o.Platform = platform
			effects, allocated := measure(text, o)
			if len(effects) == 0 && strings.TrimSpace(strings.Trim(text, "#\\ \n")) != "" {
				t.Errorf("%s, %s: no effects", name, platform)
			}
			if allocated > 64<<20 {
				t.Errorf("%s, %s: %d KiB allocated", name, platform, allocated>>10)
			}
			if len(text) >= 1<<20 && !isOpaque(effects) {
				t.Errorf("%s, %s: what was not looked at is not opaque", name, platform)
			}
		}
	}
}

func measure(text string, o shell.Options) (effects []toolverdict.Effect, allocated uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	effects = shell.Analyse(text, o)
	runtime.ReadMemStats(&after)
	return effects, after.TotalAlloc - before.TotalAlloc
}

// TestFault: no input is known that makes the analysis panic, so the fault is
// made here.
func TestFault(t *testing.T) {
	t.Parallel()
	var list []toolverdict.Effect
	effects := shell.Guarded(func() []toolverdict.Effect { return list[:1:1][1:2] })
	if len(effects) != 1 || effects[0].Kind != toolverdict.EffectOpaque {
		t.Errorf("a fault became %+v", effects)
	}
}

// TestUnknownShell: what another shell would make of a text is not known.
func TestUnknownShell(t *testing.T) {
	t.Parallel()
	o := options
	o.Platform = "fish"
	if effects := shell.Analyse("ls", o); !isOpaque(effects) {
		t.Errorf("not opaque: %+v", effects)
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile() {
		for _, platform := range []shell.Platform{shell.Bash, shell.POSIX} {
			b.Run(name+"/"+string(platform), func(b *testing.B) {
				o := options
				o.Platform = platform
				b.ReportAllocs()
				for b.Loop() {
					shell.Analyse(text, o)
				}
			})
		}
	}
}
