// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package path_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/effect/path"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// links is a fake tree: absolute links below root, and where they lead.
// Everything else is a folder; what is named "secret" cannot be looked into.
type links struct {
	root  string
	to    map[string]string
	looks *int
}

func (l links) Lstat(name string) (fs.FileInfo, error) {
	if l.looks != nil {
		*l.looks++
	}
	if strings.HasSuffix(name, "secret") {
		return nil, fs.ErrPermission
	}
	if strings.HasSuffix(name, "panic") {
		panic("tree")
	}
	_, link := l.to[l.root+"/"+name]
	return entry(link), nil
}

func (l links) Readlink(name string) (string, error) {
	if to := l.to[l.root+"/"+name]; to != "unreadable" {
		return to, nil
	}
	return "", errors.New("unreadable")
}

// entry is a link or a folder.
type entry bool

func (entry) Name() string       { return "" }
func (entry) Size() int64        { return 0 }
func (entry) ModTime() time.Time { return time.Time{} }
func (entry) Sys() any           { return nil }
func (e entry) IsDir() bool      { return !bool(e) }
func (e entry) Mode() fs.FileMode {
	if e {
		return fs.ModeSymlink
	}
	return fs.ModeDir
}

func TestLinks(t *testing.T) {
	t.Parallel()
	to := map[string]string{
		"/srv/app/etc": "/etc", "/srv/app/one": "two", "/srv/app/two": "/srv/app/etc", "/srv/app/loop": "loop2", "/srv/app/loop2": "/srv/app/loop",
		"/srv/app/up": "..", "/srv/app/sub/up": "../..", "/srv/app/docs": "sub/docs", "/srv/app/self": ".", "/srv/app/again": "../app/x",
		"/srv/app/evil": "../app-evil", "/srv/app/bad": "unreadable", "/srv/app/conf": ".env", "/srv/app/real": "/data/app/x", "/srv/app/none": "",
	}
	deep := strings.Repeat("d/", 300)
	for _, c := range []struct{ text, use, want string }{
		{"plain/x", "read", "read /srv/app/plain/x"},
		{"etc/hosts", "read", "read /srv/app/etc/hosts; read /etc/hosts; read -"},
		{"one/hosts", "write", "write /srv/app/one/hosts; write /etc/hosts; write -"},
		{"loop/x", "read", "read /srv/app/loop/x; read -"},
		{"up/x", "read", "read /srv/app/up/x; read /srv/x; read -"},
		{"up/app/x", "read", "read /srv/app/up/app/x; read /srv/app/x"},
		{"up/../x", "read", "read /srv/app/x; read /x; read -"},
		{"sub/up/x", "read", "read /srv/app/sub/up/x; read /srv/x; read -"},
		{"docs/a.md", "read", "read /srv/app/docs/a.md; read /srv/app/sub/docs/a.md"},
		{"docs/../x", "read", "read /srv/app/x; read /srv/app/sub/x"},
		{"self/self/self/x", "read", "read /srv/app/self/self/self/x; read /srv/app/x"},
		{"again", "read", "read /srv/app/again; read /srv/app/x"},
		{"evil/x", "read", "read /srv/app/evil/x; read /srv/app-evil/x; read -"},
		{"conf", "read", "read /srv/app/conf; read /srv/app/.env"},
		{"conf", "delete", "delete /srv/app/conf; delete /srv/app/.env"},
		{"one/hosts", "delete", "delete /srv/app/one/hosts; delete /etc/hosts; delete -"},
		{"docs/conf", "delete", "delete /srv/app/docs/conf; delete /srv/app/sub/docs/conf"},
		{"real", "read", "read /srv/app/real; read /srv/app/x"},
		{"/data/app/conf", "read", "read /srv/app/conf; read /srv/app/.env"},
		{"bad/x", "read", "read /srv/app/bad/x; read -"},
		{"none/x", "read", "read /srv/app/none/x; read -"},
		{"secret/x", "read", "read /srv/app/secret/x; read -"},
		{"%65tc/hosts", "read", "read /srv/app/%65tc/hosts; read /srv/app/etc/hosts; read /etc/hosts; read -"},
		{"/etc/x", "read", "read /etc/x"},
		{"/srv/app", "list", "list /srv/app"},
		{"../app-evil/x", "read", "read /srv/app-evil/x"},
		{deep + "x", "read", "read /srv/app/" + deep + "x; read -"},
		{"panic/x", "read", "opaque"},
	} {
		looks := 0
		got := show(path.Analyse(c.text, path.Options{Uses: []path.Use{path.Use(c.use)}, Root: "/srv/app", Real: "/data/app", Tree: links{"/srv/app", to, &looks}}))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%.60q\n%s", c.text, diff)
		}
		if looks > 200 {
			t.Errorf("%.60q was looked up %d times", c.text, looks)
		}
	}
	got := show(path.Analyse("docs/*.md", path.Options{Uses: []path.Use{path.Read}, Root: "/srv/app", Glob: true, Tree: links{"/srv/app", to, nil}}))
	if want := "read below /srv/app/docs; read below /srv/app/sub/docs"; got != want {
		t.Errorf("a pattern below a link: got %s, want %s", got, want)
	}
	windows := links{"C:/App", map[string]string{"C:/App/x": `D:\data`, "C:/App/y": `sub\z`, "C:/App/r": `\Windows`, "C:/App/d": `D:rel`, "C:/App/u": `\\srv\share`}, nil}
	for text, want := range map[string]string{
		`x\a`: "read C:/App/x/a; read d:/data/a; read -", `y\a`: "read C:/App/y/a; read C:/App/sub/z/a", `r\a`: "read C:/App/r/a; read c:/windows/a; read -",
		`d\a`: "read C:/App/d/a; read -", `u\a`: "read C:/App/u/a; read //srv/share/a; read -",
	} {
		got := show(path.Analyse(text, path.Options{Uses: []path.Use{path.Read}, Root: `C:\App`, Windows: true, Tree: rooted{windows}}))
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// TestLooksAreShared bounds what many paths may cost together.
func TestLooksAreShared(t *testing.T) {
	t.Parallel()
	looks, list := 0, []canon.Value{}
	for range 900 {
		list = append(list, canon.String(strings.Repeat("d/", 60)))
	}
	got := path.AnalyseValue(canon.Array(list...), path.Options{Uses: []path.Use{path.Read}, Root: "/srv/app", Tree: links{"/srv/app", nil, &looks}})
	if looks > 2000 || got[len(got)-1].Path != "" {
		t.Errorf("%d look-ups, and the last effect is %+v", looks, got[len(got)-1])
	}
}

// rooted is a tree whose names come as they were typed, not as they are stored.
type rooted struct{ links }

// TestRealTree compares with the operating system, on trees of folders, files
// and links: where it resolves a path, that file is among the effects.
func TestRealTree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		base, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			r.Fatal(err)
		}
		root := filepath.Join(base, "root")
		plant(r, base, root)
		tree, err := os.OpenRoot(root)
		if err != nil {
			r.Fatal(err)
		}
		defer tree.Close()
		for range 20 {
			text := rapid.SampledFrom(names[:8]).Draw(r, "first") + "/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(names), 1, 6).Draw(r, "path"), "/")
			got := path.Analyse(text, path.Options{Uses: []path.Use{path.Read}, Root: root, Tree: tree})
			target, err := filepath.EvalSymlinks(root + "/" + text)
			if err != nil {
				continue
			}
			// Outside of the root nothing can be seen, links back into it neither:
			// there, some file that is not known is among the effects.
			known, outside, unknown := false, false, false
			for _, e := range got {
				known = known || e.Path == target
				unknown = unknown || e.Path == ""
				outside = outside || e.Path != "" && !strings.HasPrefix(e.Path+"/", root+"/")
			}
			known = known || unknown && outside
			if !known {
				r.Errorf("%q is %s, and the effects are %s", text, target, show(got))
			}
		}
	})
}

var names = []string{"a", "b", "c", "l", "m", "n", "..", ".", ""}

// plant makes folders, files and links below root, and a folder beside it.
func plant(r *rapid.T, base, root string) {
	for _, dir := range []string{root, root + "/a", root + "/a/b", root + "/b", base + "/out", base + "/out/a"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			r.Fatal(err)
		}
		if err := os.WriteFile(dir+"/c", nil, 0o600); err != nil {
			r.Fatal(err)
		}
		for _, name := range []string{"l", "m", "n"} {
			if !rapid.Bool().Draw(r, "link") {
				continue
			}
			target := strings.Join(rapid.SliceOfN(rapid.SampledFrom(names[:8]), 1, 4).Draw(r, "target"), "/")
			if rapid.Bool().Draw(r, "absolute") {
				target = rapid.SampledFrom([]string{root, base, base + "/out"}).Draw(r, "start") + "/" + target
			}
			if err := os.Symlink(target, dir+"/"+name); err != nil {
				r.Fatal(err)
			}
		}
	}
}

func ExampleAnalyse() {
	for _, e := range path.Analyse("../app-data/x", path.Options{Uses: []path.Use{path.Write}, Root: "/srv/app"}) {
		fmt.Println(e.Kind, e.Path)
	}
	// Output: write /srv/app-data/x
}
