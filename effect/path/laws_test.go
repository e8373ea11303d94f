// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package path_test

import (
	stdpath "path"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/path"
	"github.com/toolverdict/toolverdict/internal/canon"
)

type tester interface {
	Errorf(format string, args ...any)
}

// variants are the options that every law is checked under.
func variants() []path.Options {
	all := []path.Use{path.Read, path.Write, path.Delete, path.List}
	to := map[string]string{"/srv/app/l": "a/b", "/srv/app/a": "../out", "/srv/app/b": "/srv/app/c", "/srv/app/c": "b"}
	return []path.Options{
		{Uses: all[:1], Root: "/srv/app"},
		{Uses: all, Root: "/srv/app", Deep: true, Base: "sub", Home: "/home/a"},
		{Uses: all[1:2], Root: "/Srv/App", Folded: true},
		{Uses: all[1:2], Root: `C:\Srv\App`, Windows: true, Home: `C:\Users\a`},
		{Uses: all[:1], Root: "/srv/app", Verbatim: true},
		{Uses: all[2:], Root: "/srv/app", Tree: links{"/srv/app", to, nil}},
		{Uses: all[:1], Root: "/srv/app", Glob: true},
		{Uses: all[:1]},
	}
}

// check holds for every text whatever.
func check(t tester, text string) {
	for _, o := range variants() {
		o.Source = "/p"
		effects := path.Analyse(text, o)
		if len(effects) == 0 {
			t.Errorf("%q has no effect with %+v", text, o)
		}
		if again := path.Analyse(text, o); !cmp.Equal(effects, again) {
			t.Errorf("%q is not read the same way twice with %+v", text, o)
		}
		sure := true
		for _, e := range effects {
			sure = sure && e.Kind != tv.EffectOpaque && e.Path != ""
			checkEffect(t, text, o, e)
		}
		if sure && !o.Windows && !o.Folded && !o.Glob {
			checkPlain(t, text, o, effects)
		}
	}
}

func checkEffect(t tester, text string, o path.Options, e tv.Effect) {
	switch e.Kind {
	case tv.EffectRead, tv.EffectWrite, tv.EffectDelete:
	case tv.EffectConnect:
		if !o.Windows || e.Host == "" || e.Scheme != "smb" {
			t.Errorf("%q connects to %+v with %+v", text, e, o)
		}
		return
	case tv.EffectOpaque:
		if e.Detail == "" {
			t.Errorf("%q is opaque without a reason with %+v", text, o)
		}
		return
	default:
		t.Errorf("%q has an effect of kind %s with %+v", text, e.Kind, o)
	}
	if e.Path == "" {
		return
	}
	p := e.Path
	if o.Windows {
		p = "/" + strings.TrimLeft(p, "/")
	}
	if p[0] != '/' || stdpath.Clean(p) != p && p[2:] != ":/" || strings.HasPrefix(e.Path, "//") && !o.Windows {
		t.Errorf("%q touches %q with %+v, which is not absolute and clean", text, e.Path, o)
	}
	if strings.ContainsAny(e.Path, "\x00\n\r\u202e") {
		t.Errorf("%q touches %q with %+v", text, e.Path, o)
	}
}

// checkPlain compares with what a program does that joins and cleans.
func checkPlain(t tester, text string, o path.Options, effects []tv.Effect) {
	want := text
	switch {
	case strings.HasPrefix(text, "~") && o.Home != "":
		want = o.Home + text[1:]
	case text[0] != '/':
		want = stdpath.Join(o.Root, o.Base) + "/" + text
	}
	want = stdpath.Clean(want)
	for _, e := range effects {
		if e.Path == want {
			return
		}
	}
	t.Errorf("%q is %s, and the effects are %s", text, want, show(effects))
}

func TestLaws(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{
		"a", "B", "..", ".", "", "...", ".env", ".Git", "%2e%2e", "%2f", "%00", "%25", `\`, "~", "$HOME", "${x}", "l", "b", "c", " ", "é", "e\u0301", "\u202e",
		"C:", "NUL", "a:b", "GIT~1", "*", "?", "//", "//?/", "file:", "/srv/app", "/proc/self/root", "．．", "\x00",
	})
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 1, 7).Draw(r, "parts"), rapid.SampledFrom([]string{"/", "/", "", `\`}).Draw(r, "separator"))
		check(r, text)
		// More text on the end of a folder never leads out of it.
		for _, tail := range []string{"x", "x/y"} {
			got := path.Analyse("/srv/app/"+tail, path.Options{Uses: []path.Use{path.Read}})
			if got[0].Path != "/srv/app/"+tail {
				r.Errorf("got %s", show(got))
			}
		}
	})
}

func hostile() map[string]string {
	long := func(head, part string) string { return head + strings.Repeat(part, (1<<20-len(head))/len(part)) }
	near := func(part string) string { return strings.Repeat(part, path.MaxBytes/len(part)) }
	return map[string]string{
		"long": long("", "a/"), "dots": long("", "../"), "percent": near("%2e%2e/"), "nested percent": near("%2525252e"), "backslashes": near(`a\`), "blanks": near(" x"),
		"unicode": near("é/"), "marks": "a" + near("\u0301")[2:], "wide": near("︁")[3:], "parts": near("a/"), "up": near("../"), "links": near("l/"), "stars": near("*/"), "tildes": near("~/"),
		"streams": near("a:"), "compatible": near("ﷺ"),
	}
}

// TestLookAlikes goes through all characters: none that folds to a separator or
// to dots is taken for a part of a name.
func TestLookAlikes(t *testing.T) {
	t.Parallel()
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		folded := canon.Fold(string(r))
		if !strings.ContainsAny(folded, `/\:~`) && folded != "." && folded != ".." {
			continue
		}
		got := path.Analyse("a"+string(r)+"b", path.Options{Uses: []path.Use{path.Read}, Root: "/srv/app"})
		if got[0].Kind != tv.EffectOpaque {
			t.Errorf("%U stands for %q and is read as a name", r, folded)
		}
	}
}

// TestHostile bounds what a hostile text may cost in memory; BenchmarkHostile
// tells the time.
func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		for i, o := range variants() {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			path.Analyse(text, o)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
				t.Errorf("%s, variant %d: %d MiB were used", name, i, used>>20)
			}
		}
	}
}

func FuzzAnalyse(f *testing.F) {
	for _, seed := range []string{
		"main.go", "../../etc/hosts", "%2e%2e%2fx", `..\..\x`, "~/x", "$HOME/x", "file:///x", "C:x", `\\srv\share\x`, `\\?\C:\x`, "GIT~1/config", "a:b", "NUL.txt",
		".env ", "l/../b", "/proc/self/root/x", "docs/\u202egnp", "Cafe\u0301", "src/**/*.go", "\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, text)
		path.Analyse("x", path.Options{Uses: []path.Use{path.Read}, Root: "/srv/app", Base: text, Home: text})
		path.Analyse("~/x", path.Options{Uses: []path.Use{path.Read}, Root: text, Real: text, Home: text, Tree: links{"/srv/app", map[string]string{"/srv/app/x": text}, nil}})
	})
}

func BenchmarkAnalyse(b *testing.B) {
	root := path.Options{Source: "/path", Uses: []path.Use{path.Read}, Root: "/srv/app"}
	folded, windows, tree := root, root, root
	folded.Folded, windows.Windows, windows.Root = true, true, `C:\srv\app`
	tree.Tree = links{"/srv/app", nil, nil}
	for _, c := range []struct {
		name, text string
		o          path.Options
	}{
		{"relative", "internal/store/sqlite/open.go", root}, {"absolute", "/srv/app/internal/store/sqlite/open.go", root}, {"dots", "../../etc/passwd", root},
		{"percent", "docs/%2e%2e/x", root}, {"international", "docs/日本語.md", root}, {"folded", "docs/README.md", folded},
		{"windows", `docs\..\README.md`, windows}, {"tree", "internal/store/sqlite/open.go", tree},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				path.Analyse(c.text, c.o)
			}
		})
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, o := range variants() {
					path.Analyse(text, o)
				}
			}
		})
	}
}
