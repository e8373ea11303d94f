// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package arch_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// Limits, not aims: most code stays far below.
const (
	fileLines     = 500
	parserLines   = 800
	testFileLines = 800
	functionLines = 80
	parameters    = 5
	structFields  = 12
	interfaceSize = 4
	packageFiles  = 12
	packageLines  = 2500
	ownImports    = 7
)

// shorter are files that the design keeps below the common limit.
var shorter = map[string]int{"gate.go": 200, "AGENTS.md": 60}

// parsers are files that may reach parserLines: splitting a grammar in two
// hides more than it shows.
var parsers = []string{}

// manyImports are packages that put the parts together, so that others need
// not know them.
var manyImports = []string{"standard", "internal/daemon", "internal/daemon/channels", "internal/daemon/hooks"}

func checkSizes(t *tree) []problem {
	problems := t.shortFiles()
	for _, file := range t.code {
		problems = append(problems, t.fileSize(file)...)
		if !file.test {
			problems = append(problems, t.declSizes(file)...)
		}
	}
	return append(problems, t.packageSizes()...)
}

func lines(src []byte) int { return bytes.Count(src, []byte("\n")) }

func tooMany(got int, what string, limit int) string {
	return fmt.Sprintf("%d %s, at most %d", got, what, limit)
}

func (t *tree) shortFiles() []problem {
	var problems []problem
	for name, limit := range shorter {
		if n := lines(t.text[name]); n > limit {
			problems = append(problems, problem{rule: "file-lines", path: name, text: tooMany(n, "lines", limit)})
		}
	}
	return problems
}

func (t *tree) fileSize(file *goFile) []problem {
	limit := fileLines
	switch {
	case file.test:
		limit = testFileLines
	case slices.Contains(parsers, file.path):
		limit = parserLines
	}
	if n := lines(file.src); n > limit {
		return []problem{{rule: "file-lines", path: file.path, text: tooMany(n, "lines", limit)}}
	}
	return nil
}

// declSizes measures functions and types. Tests are exempt: a long table is
// easier to read than a split one.
func (t *tree) declSizes(file *goFile) []problem {
	var problems []problem
	report := func(rule, name string, node ast.Node, n int, what string, limit int) {
		if n > limit {
			problems = append(problems, problem{rule: rule, path: file.path, name: name,
				line: t.line(node.Pos()), text: tooMany(n, what, limit)})
		}
	}
	for _, decl := range file.syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			report("function-lines", funcName(d), d, t.line(d.End())-t.line(d.Pos())+1, "lines", functionLines)
			report("parameters", funcName(d), d, d.Type.Params.NumFields(), "parameters", parameters)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				typ, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				switch shape := typ.Type.(type) {
				case *ast.StructType:
					if !wireOrConfig(file, typ.Name.Name, shape) {
						report("struct-fields", typ.Name.Name, typ, shape.Fields.NumFields(), "fields", structFields)
					}
				case *ast.InterfaceType:
					report("interface-methods", typ.Name.Name, typ, ownMethods(shape), "methods", interfaceSize)
				}
			}
		}
	}
	return problems
}

// ownMethods counts what an interface declares; what it embeds was counted
// where that is declared.
func ownMethods(shape *ast.InterfaceType) int {
	n := 0
	for _, method := range shape.Methods.List {
		n += len(method.Names)
	}
	return n
}

// wireOrConfig reports whether a struct mirrors a document someone else
// shaped: its fields carry tags, or it is configuration.
func wireOrConfig(file *goFile, name string, shape *ast.StructType) bool {
	tagged := slices.ContainsFunc(shape.Fields.List, func(f *ast.Field) bool { return f.Tag != nil })
	return tagged || file.dir == "internal/config" || strings.HasSuffix(strings.ToLower(name), "config")
}

// bulk is what one package weighs without its tests.
type bulk struct {
	files, lines int
	imports      map[string]bool
}

func (t *tree) packageSizes() []problem {
	weights := map[string]*bulk{}
	for _, file := range t.code {
		if file.test {
			continue
		}
		if weights[file.dir] == nil {
			weights[file.dir] = &bulk{imports: map[string]bool{}}
		}
		weight := weights[file.dir]
		weight.files++
		weight.lines += lines(file.src)
		for _, spec := range file.syntax.Imports {
			if target, ok := t.ours(strings.Trim(spec.Path.Value, `"`)); ok {
				weight.imports[target] = true
			}
		}
	}
	var problems []problem
	for dir, weight := range weights {
		report := func(rule string, n int, what string, limit int) {
			if n > limit {
				problems = append(problems, problem{rule: rule, path: dir, text: tooMany(n, what, limit)})
			}
		}
		report("package-files", weight.files, "files", packageFiles)
		report("package-lines", weight.lines, "lines", packageLines)
		if !slices.Contains(manyImports, dir) {
			report("package-imports", len(weight.imports), "packages of ours imported", ownImports)
		}
	}
	return problems
}
