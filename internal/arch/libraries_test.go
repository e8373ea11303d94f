// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package arch_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// library is a third-party module or a part of one. The longest prefix of an
// import path decides.
type library struct {
	prefix string
	homes  []string // the folders whose code may import it; none: tests only
	reason string   // why more than one home
}

// libraries are all third-party imports. Each lives in one package, so that
// replacing it changes one package. Test files, and what stands on the top
// floor, may import any library of this list.
var libraries = []library{
	{prefix: "github.com/coder/websocket", homes: []string{"internal/notify/dingtalk"}},
	{prefix: "github.com/fsnotify/fsnotify", homes: []string{"internal/filewatch"}},
	{prefix: "github.com/alexedwards/scs/v2", homes: []string{"internal/console/session"}},
	{prefix: "github.com/chromedp/cdproto"},
	{prefix: "github.com/chromedp/chromedp"},
	{prefix: "cel.dev/cel-go", homes: []string{"policy/internal/cel"}},
	{prefix: "github.com/google/go-cmp"},
	{prefix: "github.com/invopop/jsonschema"},
	{prefix: "github.com/modelcontextprotocol/go-sdk"},
	{prefix: "github.com/modelcontextprotocol/go-sdk/auth", homes: []string{"mcpgate"}},
	{prefix: "github.com/modelcontextprotocol/go-sdk/oauthex", homes: []string{"mcpgate"}},
	{prefix: "github.com/pganalyze/pg_query_go/v6", homes: []string{"effect/sql/internal/postgres"}},
	{prefix: "github.com/pressly/goose/v3", homes: []string{"internal/store/sqlite"}},
	{prefix: "github.com/prometheus/client_golang", homes: []string{"internal/metrics"}},
	{prefix: "github.com/rogpeppe/go-internal"},
	{prefix: "github.com/santhosh-tekuri/jsonschema/v6"},
	{prefix: "github.com/slack-go/slack", homes: []string{"internal/notify/slack"}},
	{prefix: "github.com/spf13/cobra", homes: []string{"cmd/toolverdict"}},
	{prefix: "github.com/standard-webhooks/standard-webhooks/libraries", homes: []string{"internal/notify/webhook"}},
	{prefix: "github.com/wasilibs/go-pgquery", homes: []string{"effect/sql/internal/postgres"}},
	{prefix: "go.yaml.in/yaml/v3", homes: []string{"internal/strictyaml", "policy/internal/syntax", "policy/internal/layout"},
		reason: "the policy makes a syntax tree of the nodes, which no struct could hold, and lays them out anew"},
	{prefix: "golang.org/x/crypto/argon2", homes: []string{"internal/identity/password"}},
	{prefix: "golang.org/x/mod", homes: []string{"audit"}},
	{prefix: "golang.org/x/net/idna", homes: []string{"effect/url", "effect/email"},
		reason: "host names and mail domains are two rooms that read the same kind of name"},
	{prefix: "golang.org/x/text", homes: []string{"catalog"}},
	{prefix: "google.golang.org/protobuf", homes: []string{"effect/sql/internal/postgres"}},
	{prefix: "modernc.org/sqlite", homes: []string{"internal/store/sqlite"}},
	{prefix: "mvdan.cc/sh/v3", homes: []string{"effect/shell"}},
	{prefix: "pgregory.net/rapid"},
	{prefix: "vitess.io/vitess", homes: []string{"effect/sql/internal/mysql"}},
}

// testOnly are packages of ours whose whole purpose is testing.
var testOnly = []string{"gatetest", "guard/guardtest", "internal/store/storetest", "internal/notify/notifytest"}

func checkLibraries(t *tree) []problem {
	var problems []problem
	for _, file := range t.code {
		if file.nested {
			continue
		}
		for _, spec := range file.syntax.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			if !t.thirdParty(imported) {
				continue
			}
			if why := mayNotUse(file, imported); why != "" {
				problems = append(problems, problem{rule: "library", path: file.path, name: imported,
					line: t.line(spec.Pos()), text: why})
			}
		}
	}
	return problems
}

// thirdParty reports whether the import is neither ours nor the standard
// library's, whose first elements have no dot.
func (t *tree) thirdParty(imported string) bool {
	if _, ok := t.ours(imported); ok {
		return false
	}
	first, _, _ := strings.Cut(imported, "/")
	return strings.Contains(first, ".")
}

// libraryOf finds the longest prefix that covers an import path.
func libraryOf(imported string) library {
	var found library
	for _, lib := range libraries {
		if (imported == lib.prefix || strings.HasPrefix(imported, lib.prefix+"/")) && len(lib.prefix) > len(found.prefix) {
			found = lib
		}
	}
	return found
}

func mayNotUse(file *goFile, imported string) string {
	found := libraryOf(imported)
	from, _ := placeOf(file.dir)
	switch {
	case found.prefix == "":
		return "is not in the list of libraries: a new one is a decision record and an entry with its home"
	case file.test, from.floor == len(floors)-1, slices.Contains(testOnly, file.dir), livesIn(file.dir, found.homes):
		return ""
	case len(found.homes) == 0:
		return "is for tests and examples only"
	}
	return "lives in " + strings.Join(found.homes, ", ") + " only"
}

// livesIn reports whether a folder is one of the homes. The commands of a
// program are one room, however many folders they fill, and so is a home with
// the internal folders below it, which nobody else can import.
func livesIn(dir string, homes []string) bool {
	return slices.ContainsFunc(homes, func(home string) bool {
		return dir == home || within(home, "cmd") && within(dir, home) || within(dir, home+"/internal")
	})
}

// insideHome reports whether a folder is an internal one below the home of a
// library: what it shows of it is seen from that home only.
func insideHome(dir, imported string) bool {
	return slices.ContainsFunc(libraries, func(lib library) bool {
		return (imported == lib.prefix || strings.HasPrefix(imported, lib.prefix+"/")) &&
			slices.ContainsFunc(lib.homes, func(home string) bool { return within(dir, home+"/internal") })
	})
}

// checkExported finds third-party types in what a package of this module
// offers to others. What a program's own folders offer only it can import.
func checkExported(t *tree) []problem {
	var problems []problem
	for _, file := range t.code {
		if file.nested || file.test || file.syntax.Name.Name == "main" || within(file.dir, "cmd") {
			continue
		}
		foreign := t.foreignNames(file)
		if len(foreign) == 0 {
			continue
		}
		for _, decl := range file.syntax.Decls {
			for name, node := range exportedParts(decl) {
				if lib := firstForeign(node, foreign); lib != "" {
					problems = append(problems, problem{rule: "exported", path: file.path, name: name,
						line: t.line(node.Pos()), text: "shows a type of " + lib})
				}
			}
		}
	}
	return problems
}

var versionElement = regexp.MustCompile(`^v[0-9]+$`)

// foreignNames maps the local name of each third-party import to its path.
func (t *tree) foreignNames(file *goFile) map[string]string {
	names := map[string]string{}
	for _, spec := range file.syntax.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		if !t.thirdParty(imported) || insideHome(file.dir, imported) {
			continue
		}
		elements := strings.Split(imported, "/")
		last := elements[len(elements)-1]
		if versionElement.MatchString(last) {
			last = elements[len(elements)-2]
		}
		name := strings.TrimPrefix(last, "go-")
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = imported
	}
	return names
}

// exportedParts returns the parts of a declaration that others can see: a
// function's signature, an exported type without its unexported fields, the
// type of an exported variable.
func exportedParts(decl ast.Decl) map[string]ast.Node {
	parts := map[string]ast.Node{}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
			parts[funcName(d)] = d.Type
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					parts[s.Name.Name] = s.Type
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() && s.Type != nil {
					parts[s.Names[0].Name] = s.Type
				}
			}
		}
	}
	return parts
}

func firstForeign(node ast.Node, foreign map[string]string) string {
	found := ""
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			// An unexported field is nobody's business; an unnamed one is a parameter, a result or embedded.
			return len(n.Names) == 0 || hasExported(n.Names) || isFunc(node)
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && foreign[pkg.Name] != "" && found == "" {
				found = foreign[pkg.Name]
			}
		}
		return true
	})
	return found
}

func isFunc(node ast.Node) bool {
	_, ok := node.(*ast.FuncType)
	return ok
}

func hasExported(names []*ast.Ident) bool {
	return slices.ContainsFunc(names, (*ast.Ident).IsExported)
}

// receiver returns the name of a method's receiver type.
func receiver(d *ast.FuncDecl) string {
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return name
}

// funcName is "F" for a function and "T.M" for a method.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	return receiver(d) + "." + d.Name.Name
}
