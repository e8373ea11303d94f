// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package path_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/path"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// show writes effects the way the tables here do: "kind path", with - for a path
// that is not known, "below" for a folder with all in it, and "opaque".
func show(effects []tv.Effect) string {
	parts := make([]string, len(effects))
	for i, e := range effects {
		kind := string(e.Kind)
		if e.Names {
			kind = "list"
		}
		if e.Deep {
			kind += " below"
		}
		switch {
		case e.Kind == tv.EffectOpaque:
			parts[i] = kind
		case e.Kind == tv.EffectConnect:
			parts[i] = fmt.Sprintf("%s %s %d", e.Scheme, e.Host, e.Port)
		case e.Path == "":
			parts[i] = kind + " -"
		default:
			parts[i] = kind + " " + e.Path
		}
	}
	return strings.Join(parts, "; ")
}

// TestPlain holds paths that have one reading, most of them from ordinary work.
func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"main.go":                       "/srv/app/main.go",
		"./main.go":                     "/srv/app/main.go",
		".":                             "/srv/app",
		"./":                            "/srv/app",
		"/srv/app":                      "/srv/app",
		"/srv/app/":                     "/srv/app",
		"/":                             "/",
		"a/b/../c":                      "/srv/app/a/c",
		"a//b///c/":                     "/srv/app/a/b/c",
		"a/./b/.":                       "/srv/app/a/b",
		"..":                            "/srv",
		"../app/x":                      "/srv/app/x",
		"../appendix/x":                 "/srv/appendix/x",
		"../../../../../../etc/hosts":   "/etc/hosts",
		"/srv/app/../../etc/hosts":      "/etc/hosts",
		"missing/../../../etc/hosts":    "/etc/hosts",
		"//etc//hosts":                  "/etc/hosts",
		"a..b/c..":                      "/srv/app/a..b/c..",
		"...":                           "/srv/app/...",
		".../x":                         "/srv/app/.../x",
		"a./b":                          "/srv/app/a./b",
		"notes.":                        "/srv/app/notes.",
		".env":                          "/srv/app/.env",
		"conf/../.env":                  "/srv/app/.env",
		".env.example":                  "/srv/app/.env.example",
		"my file (1).txt":               "/srv/app/my file (1).txt",
		"Ünïcode/日本語.md":                "/srv/app/Ünïcode/日本語.md",
		"cafe\u0301.md":                 "/srv/app/cafe\u0301.md",
		"Bild\u202f2.png":               "/srv/app/Bild\u202f2.png",
		"❤\ufe0f.png":                   "/srv/app/❤\ufe0f.png",
		"…":                             "/srv/app/…",
		"app/[slug]/page.tsx":           "/srv/app/app/[slug]/page.tsx",
		"app/(auth)/{x}.ts":             "/srv/app/app/(auth)/{x}.ts",
		"routes/$id.tsx":                "/srv/app/routes/$id.tsx",
		"routes/$userId/x":              "/srv/app/routes/$userId/x",
		"price$":                        "/srv/app/price$",
		"US$100.txt":                    "/srv/app/US$100.txt",
		"node_modules/@types/node":      "/srv/app/node_modules/@types/node",
		"-rf":                           "/srv/app/-rf",
		"a;b&c|d'e\"f":                  "/srv/app/a;b&c|d'e\"f",
		"backup~":                       "/srv/app/backup~",
		"a/~/b":                         "/srv/app/a/~/b",
		"12:30 notes.md":                "/srv/app/12:30 notes.md",
		"c:x":                           "/srv/app/c:x",
		"todo: http.md":                 "/srv/app/todo: http.md",
		"100%.txt":                      "/srv/app/100%.txt",
		"50%zz":                         "/srv/app/50%zz",
		"GIT~1":                         "/srv/app/GIT~1",
		"con.txt":                       "/srv/app/con.txt",
		"/procs/x":                      "/procs/x",
		"/proc/cpuinfo":                 "/proc/cpuinfo",
		"/dev/null":                     "/dev/null",
		strings.Repeat("a", 300) + "/b": "/srv/app/" + strings.Repeat("a", 300) + "/b",
	} {
		got := show(path.Analyse(text, path.Options{Uses: []path.Use{path.Read}, Root: "/srv/app"}))
		if diff := cmp.Diff("read "+want, got); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
	}
}

// TestReadings holds paths that tools read in several ways: each is an effect.
func TestReadings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"docs/%2e%2e/x":              "read /srv/app/docs/%2e%2e/x; read /srv/app/x",
		"%2e%2e/%2e%2e/etc/hosts":    "read /srv/app/%2e%2e/%2e%2e/etc/hosts; read /etc/hosts",
		"..%2f..%2fetc%2fhosts":      "read /srv/app/..%2f..%2fetc%2fhosts; read /etc/hosts",
		"%2eenv":                     "read /srv/app/%2eenv; read /srv/app/.env",
		".e%6ev":                     "read /srv/app/.e%6ev; read /srv/app/.env",
		"%252e%252e/x":               "read /srv/app/%252e%252e/x; read /srv/app/%2e%2e/x; read /srv/x",
		"%2Fetc%2Fhosts":             "read /srv/app/%2Fetc%2Fhosts; read /etc/hosts",
		"100%25.txt":                 "read /srv/app/100%25.txt; read /srv/app/100%.txt",
		"a%20b.txt":                  "read /srv/app/a%20b.txt; read /srv/app/a b.txt",
		"caf%C3%A9":                  "read /srv/app/caf%C3%A9; read /srv/app/café",
		"%25252525252e":              "read /srv/app/%25252525252e; read /srv/app/%252525252e; read /srv/app/%2525252e; read /srv/app/%25252e; opaque",
		"x%00.png":                   "read /srv/app/x%00.png; opaque",
		"x%0a":                       "read /srv/app/x%0a; opaque",
		"x%ff":                       "read /srv/app/x%ff; opaque",
		"%7e/.ssh/id_rsa":            "read /srv/app/%7e/.ssh/id_rsa; opaque",
		"file%3a///etc/hosts":        "read /srv/app/file%3a/etc/hosts; opaque",
		`docs\x.md`:                  `read /srv/app/docs\x.md; read /srv/app/docs/x.md`,
		`..\..\etc\hosts`:            `read /srv/app/..\..\etc\hosts; read /etc/hosts`,
		`docs\..\.env`:               `read /srv/app/docs\..\.env; read /srv/app/.env`,
		`..%5c..%5cetc`:              `read /srv/app/..%5c..%5cetc; read /srv/app/..\..\etc; read /etc`,
		`\\server\share`:             `read /srv/app/\\server\share; read /server/share`,
		".env ":                      "read /srv/app/.env ; read /srv/app/.env",
		" /etc/hosts":                "read /srv/app/ /etc/hosts; read /etc/hosts",
		"\u00a0.env":                 "read /srv/app/\u00a0.env; read /srv/app/.env",
		" ~/.ssh":                    "read /srv/app/ ~/.ssh; opaque",
		"*.md":                       "read /srv/app/*.md; read -",
		"docs/?.md":                  "read /srv/app/docs/?.md; read -",
		"/proc/self/root/etc/hosts":  "read /proc/self/root/etc/hosts; read -",
		"/proc/self/cwd/.env":        "read /proc/self/cwd/.env; read -",
		"/proc/1/task/1/root/x":      "read /proc/1/task/1/root/x; read -",
		"/proc/../proc/self/fd/3":    "read /proc/self/fd/3; read -",
		"../../proc/thread-self/exe": "read /proc/thread-self/exe; read -",
		"/dev/fd/3":                  "read /dev/fd/3; read -",
		"/dev/stdin":                 "read /dev/stdin; read -",
		"../../../dev/./stdout":      "read /dev/stdout; read -",
		`a\%2e%2e\` + "..%2f" + "x":  `read /srv/app/a\%2e%2e\..%2fx; read /srv/app/a\..\../x; read /srv/app/a/%2e%2e/..%2fx; read /srv/x`,
	} {
		got := show(path.Analyse(text, path.Options{Uses: []path.Use{path.Read}, Root: "/srv/app"}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
	}
}

// TestOpaque holds paths that nothing can be said of.
func TestOpaque(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "\t", "\u3000", "a\x00b", "a\nb", "a\rb", "\x1b[2Jx", "a\x7f", "a\u0085b", "docs/\u202egnp.exe", "a\u200bb", ".g\u200cit/config",
		"\ufeffx", "a\u2028b", "a\U000e0041", "a\xffb", "a\u00adb", "~", "~/.ssh/id_rsa", "~root/x", "~+/x", "$HOME/.ssh", "$x/y", "${HOME}/x", "a/${X}/b",
		"a/$HOME/b", "a/$OLD_PWD", "a/$(id)/b", "a/`id`", "file:///etc/hosts", "FILE:/etc/hosts", "file:x", "http://x.example/y", "s3://bucket/x", " file:///x",
		"smb://host/x", "．．/x", "a／b", "‥/x", "․./x", "a＼b", "℀", "\u2215etc", "a\u2044b", "a\u2216b", "a：b", strings.Repeat("a/", path.MaxBytes),
	} {
		got := path.Analyse(text, path.Options{Uses: []path.Use{path.Read}, Root: "/srv/app", Source: "/p"})
		if len(got) != 1 || got[0].Kind != tv.EffectOpaque || got[0].Detail == "" || got[0].Source != "/p" {
			t.Errorf("%.40q is not opaque: %s", text, show(got))
		}
	}
	for name, o := range map[string]path.Options{
		"no use":          {Root: "/srv/app"},
		"an unknown use":  {Root: "/srv/app", Uses: []path.Use{path.Read, "touch"}},
		"a relative root": {Root: "srv/app", Uses: []path.Use{path.Read}},
		"an odd base":     {Root: "/srv/app", Base: "a\x00b", Uses: []path.Use{path.Read}},
		"a base of home":  {Root: "/srv/app", Base: "~", Uses: []path.Use{path.Read}},
		"no root at all":  {Base: "x", Uses: []path.Use{path.Read}},
	} {
		if got := show(path.Analyse("x", o)); got != "opaque" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := show(path.Analyse("x", path.Options{Uses: []path.Use{path.Write}})); got != "write -" {
		t.Errorf("a relative path without a root: %s", got)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	read := []path.Use{path.Read}
	for _, c := range []struct {
		text string
		o    path.Options
		want string
	}{
		{"x", path.Options{Uses: []path.Use{path.Read, path.Write, path.Delete, path.List}, Root: "/r"}, "read /r/x; write /r/x; delete /r/x; list /r/x"},
		{"x", path.Options{Uses: []path.Use{path.Delete, path.Delete}, Root: "/r", Deep: true}, "delete /r/x; delete below /r/x"},
		{"~/x", path.Options{Uses: []path.Use{path.Write, path.List}, Root: "/r", Home: "/home/a"}, "write /home/a/x; list /home/a/x"},
		{"~", path.Options{Uses: read, Root: "/r", Home: "/home/a"}, "read /home/a"},
		{"~/../b", path.Options{Uses: read, Root: "/r", Home: "/home/a"}, "read /home/b"},
		{"~b/x", path.Options{Uses: read, Root: "/r", Home: "/home/a"}, "read -"},
		{"a/~/x", path.Options{Uses: read, Root: "/r", Home: "/home/a"}, "read /r/a/~/x"},
		{"~/x", path.Options{Uses: read, Root: "/r", Verbatim: true}, "read /r/~/x"},
		{"$HOME/%2e%2e/x ", path.Options{Uses: read, Root: "/r", Verbatim: true}, "read /r/$HOME/%2e%2e/x "},
		{`..\x`, path.Options{Uses: read, Root: "/r", Verbatim: true}, `read /r/..\x`},
		{"a\u202eb", path.Options{Uses: read, Root: "/r", Verbatim: true}, "opaque"},
		{"x", path.Options{Uses: read, Root: "/r", Base: "sub/dir"}, "read /r/sub/dir/x"},
		{"../../x", path.Options{Uses: read, Root: "/r", Base: "sub/dir"}, "read /r/x"},
		{"x", path.Options{Uses: read, Root: "/r", Base: "/elsewhere"}, "read /elsewhere/x"},
		{"x", path.Options{Uses: read, Root: "/r", Base: "../../out"}, "read /out/x"},
		{"x", path.Options{Uses: read, Base: "/w"}, "read /w/x"},
		{"/x", path.Options{Uses: read}, "read /x"},
		{"x", path.Options{Uses: read, Root: "/"}, "read /x"},
		{"proc/self/root/x", path.Options{Uses: read, Root: "/"}, "read /proc/self/root/x; read -"},
		{"x", path.Options{Uses: read, Root: "/proc/self/root"}, "read /proc/self/root/x; read -"},
		{"/data/app/x", path.Options{Uses: read, Root: "/srv/app", Real: "/data/app"}, "read /srv/app/x"},
		{"/data/application/x", path.Options{Uses: read, Root: "/srv/app", Real: "/data/app"}, "read /data/application/x"},
		{"src/**/*.go", path.Options{Uses: read, Root: "/r", Glob: true}, "read below /r/src"},
		{"*.go", path.Options{Uses: []path.Use{path.List}, Root: "/r", Glob: true}, "list below /r"},
		{"src/{a,b}/x", path.Options{Uses: read, Root: "/r", Glob: true}, "read below /r/src"},
		{"/etc/host?", path.Options{Uses: read, Root: "/r", Glob: true}, "read below /etc"},
		{"a/../../x*/y", path.Options{Uses: read, Root: "/r", Glob: true}, "read below /"},
		{"src/*/../../../etc/*", path.Options{Uses: read, Root: "/r", Glob: true}, "read -"},
		{"{a,../../etc}/x", path.Options{Uses: read, Root: "/r", Glob: true}, "read -"},
		{"!src/*", path.Options{Uses: read, Root: "/r", Glob: true}, "read -"},
		{`src\/*`, path.Options{Uses: read, Root: "/r", Glob: true}, "read -; read below /r/src"},
		{"src/main.go", path.Options{Uses: read, Root: "/r", Glob: true}, "read /r/src/main.go"},
		{"/proc/*/root", path.Options{Uses: read, Root: "/r", Glob: true}, "read below /proc; read -"},
	} {
		if got := show(path.Analyse(c.text, c.o)); got != c.want {
			t.Errorf("%q with %+v\ngot  %s\nwant %s", c.text, c.o, got, c.want)
		}
	}
}

// TestFolded is a file system that ignores case, such as that of macOS.
func TestFolded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"README.md":              "/Users/Ana/App/readme.md",
		".Git/hooks/x":           "/Users/Ana/App/.git/hooks/x",
		".ENV":                   "/Users/Ana/App/.env",
		"/users/ana/app/X":       "/Users/Ana/App/x",
		"/USERS/ANA/APP":         "/Users/Ana/App",
		"/Users/Ana/Application": "/users/ana/application",
		"/Users/Ana/.ssh":        "/users/ana/.ssh",
		"Cafe\u0301.md":          "/Users/Ana/App/cafe\u0301.md",
		"Caf\u00e9.md":           "/Users/Ana/App/cafe\u0301.md",
		".\u0261it":              "/Users/Ana/App/.\u0261it", // another letter
		"\u017fecrets":           "/Users/Ana/App/secrets",
		"Stra\u00dfe":            "/Users/Ana/App/strasse",
		"\u212aey":               "/Users/Ana/App/key",
	} {
		got := path.Analyse(text, path.Options{Uses: []path.Use{path.Write}, Root: "/Users/Ana/App", Folded: true})
		if diff := cmp.Diff("write "+want, show(got)); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
		if !got[0].Folded {
			t.Errorf("%q: the effect does not say that it is folded", text)
		}
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`src\main.go`:                     "read C:/Proj/App/src/main.go",
		`src/main.go`:                     "read C:/Proj/App/src/main.go",
		`SRC\.\x\..\Main.go`:              "read C:/Proj/App/src/main.go",
		`c:\proj\app\x`:                   "read C:/Proj/App/x",
		`C:/PROJ/app/`:                    "read C:/Proj/App",
		`C:\Proj\Application`:             "read c:/proj/application",
		`D:\x`:                            "read d:/x",
		`\Windows\x`:                      "read c:/windows/x",
		`/Windows/x`:                      "read c:/windows/x",
		`..\..\..\..\Windows`:             "read c:/windows",
		`C:\..\..\x`:                      "read c:/x",
		`my file.txt`:                     "read C:/Proj/App/my file.txt",
		`a~b.txt`:                         "read C:/Proj/App/a~b.txt",
		`console.log`:                     "read C:/Proj/App/console.log",
		`community\nullable.cs`:           "read C:/Proj/App/community/nullable.cs",
		`.env.`:                           "read C:/Proj/App/.env",
		`.env . .`:                        "read C:/Proj/App/.env",
		`.env `:                           "read C:/Proj/App/.env",
		`.git.\config`:                    "read C:/Proj/App/.git/config",
		`x.txt::$DATA`:                    "opaque",
		`x.txt::data`:                     "read C:/Proj/App/x.txt; opaque",
		`.env:a`:                          "read C:/Proj/App/.env; opaque",
		`a:b:c`:                           "read -",
		`C:x`:                             "read -",
		`C:`:                              "read -",
		`d:..\x`:                          "read -",
		`NUL`:                             "read C:/Proj/App/nul; opaque",
		`sub\aux.txt`:                     "read C:/Proj/App/sub/aux.txt; opaque",
		`com1`:                            "read C:/Proj/App/com1; opaque",
		`LPT\u00b9`:                       "read C:/Proj/App/lpt/u00b9",
		"LPT\u00b9.x":                     "read C:/Proj/App/lpt1.x; opaque",
		`CONIN$`:                          "read C:/Proj/App/conin$; opaque",
		`GIT~1\config`:                    "read C:/Proj/App/git~1/config; opaque",
		`PROGRA~2.TXT`:                    "read C:/Proj/App/progra~2.txt; opaque",
		`a\...\b`:                         "read C:/Proj/App/a/b; opaque",
		`a\. \b`:                          "read C:/Proj/App/a/b; opaque",
		`a\.. \b`:                         "read C:/Proj/App/a/b; opaque",
		`a*b`:                             "read C:/Proj/App/a*b; opaque",
		`a|b`:                             "read C:/Proj/App/a|b; opaque",
		`\\Files.Example\Share\a\..\..\b`: "smb files.example 445; read //files.example/share/b",
		`//10.0.0.5/c/x`:                  "smb 10.0.0.5 445; read //10.0.0.5/c/x",
		`\\localhost\C$\Proj\App\x`:       "smb localhost 445; read //localhost/c$/proj/app/x; opaque",
		`\\h@SSL@8443\DavWWWRoot\x`:       "smb h 445; read //h@ssl@8443/davwwwroot/x; opaque",
		`\\server`:                        "read -",
		`\\server\..\x`:                   "read -",
		`\\?\C:\Proj\App\x`:               "read C:/Proj/App/x; opaque",
		`\\?\UNC\srv\share\x`:             "smb srv 445; read //srv/share/x; opaque",
		`\\.\C:\x`:                        "read c:/x; opaque",
		`\\.\PhysicalDrive0`:              "read -; opaque",
		`\\.\pipe\x`:                      "read -; opaque",
		`\??\C:\x`:                        "read c:/x; opaque",
		`\\?\GLOBALROOT\Device\x`:         "read -; opaque",
		`%2e%2e\x`:                        "read C:/Proj/App/%2e%2e/x; read C:/Proj/x",
		`%USERPROFILE%\x`:                 "opaque",
		`~\x`:                             "opaque",
		`file:///C:/x`:                    "opaque",
		`＼＼server＼x`:                      "opaque",
		"a\x00b":                          "opaque",
	} {
		got := show(path.Analyse(text, path.Options{Uses: []path.Use{path.Read}, Root: `C:\Proj\App`, Windows: true}))
		want = strings.ReplaceAll(want, "C:/Proj/x", "c:/proj/x")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
	}
	for _, c := range []struct {
		text string
		o    path.Options
		want string
	}{
		{`x`, path.Options{Root: `\\srv\share\app`}, "read //srv/share/app/x"},
		{`\\SRV\share\app\x`, path.Options{Root: `\\srv\share\app`}, "smb srv 445; read //srv/share/app/x"},
		{`docs\..\.env`, path.Options{Root: `/srv/app`}, "read /srv/app/.env"},
		{`\x`, path.Options{}, "read -"},
		{`\\srv\share`, path.Options{}, "smb srv 445; read //srv/share"},
		{`\\srv\share\..`, path.Options{}, "smb srv 445; read //srv/share"},
		{`C:\`, path.Options{}, "read c:/"},
		{`C:\x`, path.Options{}, "read c:/x"},
		{`x`, path.Options{Root: `Proj`}, "opaque"},
		{`x`, path.Options{Root: `C:Proj`}, "opaque"},
		{`~\x`, path.Options{Root: `C:\W`, Home: `C:\Users\Ana`}, "read c:/users/ana/x"},
		{`src\*.go`, path.Options{Root: `C:\W`, Glob: true}, "read below C:\\W/src"},
	} {
		c.o.Uses, c.o.Windows = []path.Use{path.Read}, true
		if got := show(path.Analyse(c.text, c.o)); got != strings.ReplaceAll(c.want, `\W`, "/W") {
			t.Errorf("%q with %+v\ngot  %s\nwant %s", c.text, c.o, got, c.want)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"x"`: "read /r/x", `[]`: "", `["a","/b"]`: "read /r/a; read /b", `["a",null]`: "read /r/a; opaque", `null`: "opaque", `7`: "opaque", `{}`: "opaque", `[["a"]]`: "opaque",
		`[` + strings.Repeat(`"",`, path.MaxValues+5) + `"x"]`:              strings.Repeat("opaque; ", path.MaxValues) + "opaque",
		`["` + strings.Repeat(`a/","`, 5000) + `"]`:                         strings.Repeat("read /r/a; ", path.MaxValues) + "opaque",
		`["` + strings.Repeat(strings.Repeat("a", 30<<10)+`","`, 10) + `"]`: strings.Repeat("read /r/"+strings.Repeat("a", 30<<10)+"; ", 8) + "opaque",
	} {
		v, err := canon.Parse([]byte(text), canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got := path.AnalyseValue(v, path.Options{Uses: []path.Use{path.Read}, Root: "/r", Source: "/files"})
		if diff := cmp.Diff(want, show(got)); diff != "" {
			t.Errorf("%.40s\n%s", text, diff)
		}
		if text == `["a","/b"]` && (got[0].Source != "/files/0" || got[1].Source != "/files/1") {
			t.Errorf("sources are %q and %q", got[0].Source, got[1].Source)
		}
	}
}
