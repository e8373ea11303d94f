// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package arch_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// skipped are folders that hold what was fetched, built or served, never what
// was written.
var skipped = []string{".git", "node_modules", "bin", ".bin", ".data"}

// tree is one checkout, read once.
type tree struct {
	module string            // the root go.mod's module path
	text   map[string][]byte // every text file, by slash path from the root
	dirs   map[string]bool   // every folder that holds a text file, somewhere below
	other  map[string]bool   // files that hold no text, such as pictures
	code   []*goFile         // every Go file outside testdata, by path
	fset   *token.FileSet
}

// goFile is one parsed Go file.
type goFile struct {
	path, dir string
	test      bool // named *_test.go
	nested    bool // belongs to a module below the root one
	src       []byte
	syntax    *ast.File
}

// problem is one breach of one rule.
type problem struct {
	rule string
	path string
	name string // the function, type or import concerned, where there is one
	line int    // 0 for the whole file or folder
	text string
}

func (p problem) String() string {
	at := p.path
	if p.line > 0 {
		at = fmt.Sprintf("%s:%d", p.path, p.line)
	}
	if p.name != "" {
		return fmt.Sprintf("%s: %s: %s: %s", at, p.rule, p.name, p.text)
	}
	return fmt.Sprintf("%s: %s: %s", at, p.rule, p.text)
}

// load reads a whole tree. A Go file that does not parse is an error: a rule
// that cannot read a file must not pass it.
func load(root fs.FS) (*tree, error) {
	t := &tree{text: map[string][]byte{}, dirs: map[string]bool{}, other: map[string]bool{}, fset: token.NewFileSet()}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		if isText(content) {
			t.addText(name, content)
		} else {
			t.other[name] = true
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read tree: %w", err)
	}
	t.module = modulePath(t.text["go.mod"])
	return t, t.parse()
}

func isText(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), 8000)], 0) < 0
}

func (t *tree) addText(name string, content []byte) {
	t.text[name] = content
	for dir := path.Dir(name); !t.dirs[dir]; dir = path.Dir(dir) {
		t.dirs[dir] = true
	}
}

func modulePath(gomod []byte) string {
	for line := range strings.Lines(string(gomod)) {
		if rest, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

func (t *tree) parse() error {
	for _, name := range t.names() {
		if path.Ext(name) != ".go" || inTestdata(name) {
			continue
		}
		syntax, err := parser.ParseFile(t.fset, name, t.text[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parse: %w", err)
		}
		t.code = append(t.code, &goFile{
			path: name, dir: path.Dir(name),
			test: strings.HasSuffix(name, "_test.go"), nested: t.inNestedModule(name),
			src: t.text[name], syntax: syntax,
		})
	}
	return nil
}

// names returns the paths of all text files, sorted.
func (t *tree) names() []string {
	names := make([]string, 0, len(t.text))
	for name := range t.text {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func inTestdata(name string) bool {
	return slices.Contains(strings.Split(path.Dir(name), "/"), "testdata")
}

func (t *tree) inNestedModule(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, ok := t.text[path.Join(dir, "go.mod")]; ok {
			return true
		}
	}
	return false
}

func (t *tree) line(pos token.Pos) int { return t.fset.Position(pos).Line }

// ours returns the folder of a package of this module, "." for the root.
func (t *tree) ours(importPath string) (string, bool) {
	if importPath == t.module {
		return ".", true
	}
	return strings.CutPrefix(importPath, t.module+"/")
}

// exists reports whether a path or glob names a file or folder of the tree.
func (t *tree) exists(name string) bool {
	name = path.Clean(name)
	if _, ok := t.text[name]; ok || t.dirs[name] || t.other[name] {
		return true
	}
	if !strings.ContainsAny(name, "*?[") {
		return false
	}
	for file := range t.text {
		if ok, err := path.Match(name, file); err == nil && ok {
			return true
		}
	}
	return false
}
