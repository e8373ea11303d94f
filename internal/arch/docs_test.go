// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package arch_test

import (
	"bytes"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	codeSpan   = regexp.MustCompile("`([^`]+)`")
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	makeTarget = regexp.MustCompile(`(?:^|[;&$])\s*make ([a-z][a-z0-9-]*)`)
	targetLine = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`)
	pathLike   = regexp.MustCompile(`^[A-Za-z0-9_.*-]+(/[A-Za-z0-9_.*-]+)*/?$`)
	stand      = regexp.MustCompile(`\b(NAME|FILE|DIR|ID|NNNN|X)\b`)
)

// pathEndings make a name with a slash a path, whatever its first element.
var pathEndings = []string{".go", ".md", ".sh", ".mod", ".txtar", ".yaml", ".yml", ".json", ".sql"}

// notPaths look like a path of this repository and are MCP methods.
var notPaths = []string{"tools/list", "tools/call"}

// notNow are documents that tell of the past, which may have moved since.
var notNow = []string{"CHANGELOG.md"}

// checkDocs wants every path, link and make target that a document names to
// exist.
func checkDocs(t *tree) []problem {
	var problems []problem
	targets := targetLine.FindAllStringSubmatch(string(t.text["Makefile"]), -1)
	for _, name := range t.names() {
		if path.Ext(name) != ".md" || inTestdata(name) || slices.Contains(notNow, path.Base(name)) {
			continue
		}
		fenced := false
		for i, line := range strings.Split(string(t.text[name]), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
				continue
			}
			for _, missing := range t.missing(name, line, fenced, targets) {
				problems = append(problems, problem{rule: "doc", path: name, line: i + 1, name: missing, text: "does not exist"})
			}
		}
	}
	return problems
}

// missing returns what one line of a document names and the tree lacks.
func (t *tree) missing(doc, line string, fenced bool, targets [][]string) []string {
	if fenced {
		return missingTargets(line, targets)
	}
	var missing []string
	for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
		missing = append(missing, missingTargets(span[1], targets)...)
		if name, ok := t.asPath(span[1]); ok && !t.exists(name) && !t.exists(path.Join(path.Dir(doc), name)) {
			missing = append(missing, name)
		}
	}
	for _, target := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
		name, _, _ := strings.Cut(target[1], "#")
		if name != "" && !strings.Contains(name, ":") && !t.exists(path.Join(path.Dir(doc), name)) {
			missing = append(missing, name)
		}
	}
	return missing
}

func missingTargets(text string, targets [][]string) []string {
	var missing []string
	for _, used := range makeTarget.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(targets, func(target []string) bool { return target[1] == used[1] }) {
			missing = append(missing, "make "+used[1])
		}
	}
	return missing
}

// asPath reports whether a code span is meant as a path of this repository: it
// starts with one of its top folders, or has a slash and a file's ending, or
// is a bare Go or Markdown file name.
func (t *tree) asPath(span string) (string, bool) {
	name := strings.TrimPrefix(span, "./")
	if !pathLike.MatchString(name) || strings.Contains(name, "..") || stand.MatchString(name) || slices.Contains(notPaths, name) {
		return "", false
	}
	first, _, slash := strings.Cut(name, "/")
	ending := path.Ext(name)
	if !slash {
		return name, ending == ".go" || ending == ".md"
	}
	return name, t.topFolder(first) || slices.Contains(pathEndings, ending)
}

// topFolder reports whether the name is a folder of the root, or one that the
// design has there.
func (t *tree) topFolder(name string) bool {
	if t.dirs[name] {
		return true
	}
	for _, entries := range floors {
		for _, entry := range entries {
			if first, _, _ := strings.Cut(entry, "/"); first == name {
				return true
			}
		}
	}
	return false
}

// checkReasons wants a line of docs/reasons.md and a test for every code of
// reason.go.
func checkReasons(t *tree) []problem {
	codes := t.codes()
	if len(codes) == 0 {
		return []problem{{rule: "reason", path: "reason.go", text: "declares no code, so none was checked"}}
	}
	var problems []problem
	cases := t.cases()
	for _, code := range codes {
		whole := regexp.MustCompile(`\b` + code.value + `\b`)
		if !whole.Match(t.text["docs/reasons.md"]) {
			problems = append(problems, problem{rule: "reason", path: "docs/reasons.md", name: code.value, text: "is not explained"})
		}
		if !whole.Match(cases) && !regexp.MustCompile(`\.`+code.name+`\b`).Match(cases) {
			problems = append(problems, problem{rule: "reason", path: "reason.go", name: code.value, text: "no test or case names it"})
		}
	}
	return problems
}

// code is one machine code: its Go name and its text.
type code struct{ name, value string }

// codes returns the string constants of type Code in reason.go.
func (t *tree) codes() []code {
	var codes []code
	for _, file := range t.code {
		if file.path != "reason.go" {
			continue
		}
		for _, decl := range file.syntax.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				codes = append(codes, constants(spec.(*ast.ValueSpec))...)
			}
		}
	}
	return codes
}

func constants(spec *ast.ValueSpec) []code {
	var codes []code
	for i, value := range spec.Values {
		literal, ok := value.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		if text, err := strconv.Unquote(literal.Value); err == nil {
			codes = append(codes, code{spec.Names[i].Name, text})
		}
	}
	return codes
}

// cases returns every test file and case under testdata, as one text. The
// fixtures of this package do not count.
func (t *tree) cases() []byte {
	var cases bytes.Buffer
	for _, name := range t.names() {
		test := strings.HasSuffix(name, "_test.go") || inTestdata(name)
		if test && !within(name, "internal/arch") {
			cases.Write(t.text[name])
			cases.WriteByte('\n')
		}
	}
	return cases.Bytes()
}
