// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package arch_test

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// bannedNames say nothing about what is inside.
var bannedNames = []string{"util", "utils", "helper", "helpers", "common", "misc"}

// optionsAllowed are packages that may take functional options.
var optionsAllowed = []string{"gatetest"}

// checkNames bans names of packages, folders and files that say nothing, and
// two forms that hide what happens: init functions and functional options.
func checkNames(t *tree) []problem {
	var problems []problem
	seen := map[string]bool{}
	for _, file := range t.code {
		for dir := file.dir; !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			problems = append(problems, bannedName(dir, path.Base(dir))...)
		}
		problems = append(problems, bannedName(file.path, strings.TrimSuffix(path.Base(file.path), ".go"))...)
		problems = append(problems, t.bannedForms(file)...)
	}
	return problems
}

func bannedName(at, name string) []problem {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' })
	for _, word := range words {
		if slices.Contains(bannedNames, word) {
			return []problem{{rule: "name", path: at, text: word + " says nothing: name it after what it knows"}}
		}
	}
	return nil
}

func (t *tree) bannedForms(file *goFile) []problem {
	var problems []problem
	for _, decl := range file.syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				problems = append(problems, problem{rule: "init", path: file.path, line: t.line(d.Pos()),
					text: "work at import time: build it where it is used"})
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if typ, ok := spec.(*ast.TypeSpec); ok && functionalOption(typ) && !slices.Contains(optionsAllowed, file.dir) {
					problems = append(problems, problem{rule: "option", path: file.path, name: typ.Name.Name,
						line: t.line(typ.Pos()), text: "functional option: take a struct with documented fields"})
				}
			}
		}
	}
	return problems
}

func functionalOption(typ *ast.TypeSpec) bool {
	_, function := typ.Type.(*ast.FuncType)
	return function && strings.HasSuffix(typ.Name.Name, "Option")
}

// spdx are the first two lines of every Go file.
var spdx = []string{"// Copyright 2026 The Toolverdict Authors", "// SPDX-License-Identifier: Apache-2.0"}

// checkHeaders wants the licence at the top of every Go file and exactly one
// package comment in every folder.
func checkHeaders(t *tree) []problem {
	var problems []problem
	comments := map[string][]string{}
	for _, file := range t.code {
		if !startsWithLicence(file.src) {
			problems = append(problems, problem{rule: "licence", path: file.path, text: "does not start with the two licence lines"})
		}
		if _, ok := comments[file.dir]; !ok {
			comments[file.dir] = nil
		}
		if doc := file.syntax.Doc; doc != nil {
			comments[file.dir] = append(comments[file.dir], path.Base(file.path))
			if strings.Contains(doc.List[0].Text, "Copyright") {
				problems = append(problems, problem{rule: "package-comment", path: file.path,
					text: "the licence lines became the package comment: put an empty line below them"})
			}
		}
	}
	for dir, files := range comments {
		if len(files) != 1 {
			problems = append(problems, problem{rule: "package-comment", path: dir,
				text: fmt.Sprintf("exactly one file has the package comment, not %d %v", len(files), files)})
		}
	}
	return problems
}

func startsWithLicence(src []byte) bool {
	return strings.HasPrefix(string(src), strings.Join(spdx, "\n")+"\n")
}
