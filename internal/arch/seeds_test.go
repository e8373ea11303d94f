// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package arch_test

import (
	"go/ast"
	"path"
	"strings"
)

// checkSeeds wants a start for every fuzz target: a committed corpus, or seeds
// that it adds itself. Without one the fuzzer begins with nothing, and plain
// `go test` runs the target over nothing.
func checkSeeds(t *tree) []problem {
	var problems []problem
	for _, file := range t.code {
		for _, decl := range file.syntax.Decls {
			target, ok := decl.(*ast.FuncDecl)
			if !ok || !file.test || target.Recv != nil || !strings.HasPrefix(target.Name.Name, "Fuzz") {
				continue
			}
			if !t.dirs[path.Join(file.dir, "testdata/fuzz", target.Name.Name)] && !addsSeeds(target) {
				problems = append(problems, problem{rule: "seed", path: file.path, name: target.Name.Name,
					line: t.line(target.Pos()), text: "has neither a corpus under testdata/fuzz nor a call of Add"})
			}
		}
	}
	return problems
}

func addsSeeds(target *ast.FuncDecl) bool {
	found := false
	ast.Inspect(target.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			method, ok := call.Fun.(*ast.SelectorExpr)
			found = found || ok && method.Sel.Name == "Add"
		}
		return true
	})
	return found
}
