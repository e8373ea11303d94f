// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package arch_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// floors is the house, from the ground up. A package imports only lower
// floors; never its own, except between a package and its own subpackages.
// "x" stands for x with everything below it, as one unit; "x/*" makes a unit
// of each folder directly below x. A folder that is not listed may not be
// built: put it on the lowest floor that it can live on.
var floors = [][]string{
	{"internal/canon", "internal/near", "internal/plain"},
	{".", "internal/mcpwire", "internal/child", "internal/strictyaml", "internal/webguard",
		"internal/bundle", "internal/pull", "internal/filewatch", "wire"},
	{"guard", "effect/*", "internal/shelf", "internal/schema", "internal/redact", "internal/secret", "internal/metrics"},
	{"policy", "catalog", "approval", "ledger", "audit", "effect", "effect/internal/command",
		"internal/session", "internal/execute", "internal/config", "internal/identity", "internal/rollout", "internal/switches",
		"internal/upstream", "internal/upstream/*"},
	{"mcpgate", "hookgate", "httpgate", "gatetest", "internal/store", "internal/store/*",
		"internal/policyfile", "internal/sandbox", "internal/grants", "internal/notify", "internal/console"},
	{"standard", "internal/transcripts", "internal/workbench", "guard/remote", "guard/guardtest"},
	{"internal/daemon"},
	{"internal/doctor"},
	{"cmd/toolverdict"},
	{"examples/*", "contrib/*", "e2e", "internal/arch"},
}

// testSupport are packages that test files may import from any floor below
// them: key is the package, value the folder whose tests may.
var testSupport = map[string]string{
	"gatetest":                 ".",
	"internal/store/memory":    ".",
	"internal/store/storetest": "internal/store",
	"guard/guardtest":          "guard",
}

// assembled are real parts that the tests of a folder put together, because
// what they test is whole only with them: the pipeline, in the root.
var assembled = map[string][]string{
	".": {"approval", "audit", "internal/redact", "internal/store/sqlite", "ledger"},
}

// place is where a package stands in the house.
type place struct {
	unit  string
	floor int
}

// placeOf finds the longest entry of floors that covers the folder.
func placeOf(dir string) (place, bool) {
	best, found := place{}, false
	for floor, entries := range floors {
		for _, entry := range entries {
			unit, ok := unitOf(dir, entry)
			if ok && (!found || len(unit) > len(best.unit)) {
				best, found = place{unit, floor}, true
			}
		}
	}
	return best, found
}

func unitOf(dir, entry string) (string, bool) {
	parent, each := strings.CutSuffix(entry, "/*")
	if !each {
		return entry, dir == entry || entry != "." && within(dir, entry)
	}
	rest, ok := strings.CutPrefix(dir, parent+"/")
	first, _, _ := strings.Cut(rest, "/")
	return path.Join(parent, first), ok
}

// within reports whether dir is below parent.
func within(dir, parent string) bool {
	return parent == "." || strings.HasPrefix(dir, parent+"/")
}

func checkFloors(t *tree) []problem {
	var problems []problem
	homeless := map[string]bool{}
	for _, file := range t.code {
		if file.nested {
			continue
		}
		from, ok := placeOf(file.dir)
		if !ok && !homeless[file.dir] {
			homeless[file.dir] = true
			problems = append(problems, problem{rule: "floor", path: file.dir,
				text: "has no floor: list the folder in floors"})
		}
		if ok {
			problems = append(problems, t.badImports(file, from)...)
		}
	}
	return problems
}

func (t *tree) badImports(file *goFile, from place) []problem {
	var problems []problem
	for _, spec := range file.syntax.Imports {
		target, ok := t.ours(strings.Trim(spec.Path.Value, `"`))
		if !ok {
			continue
		}
		if why := mayNotImport(file, from, target); why != "" {
			problems = append(problems, problem{rule: "floor", path: file.path, name: target,
				line: t.line(spec.Pos()), text: why})
		}
	}
	return problems
}

// mayNotImport says why a file may not import a package, or "".
func mayNotImport(file *goFile, from place, target string) string {
	to, ok := placeOf(target)
	if !ok {
		return "imports a package that has no floor"
	}
	if to.unit == from.unit || to.floor < from.floor {
		return ""
	}
	users, support := testSupport[target]
	if file.test && (support && (file.dir == users || within(file.dir, users)) || slices.Contains(assembled[file.dir], target)) {
		return ""
	}
	if to.floor > from.floor {
		return fmt.Sprintf("floor %d imports floor %d above it", from.floor, to.floor)
	}
	if within(to.unit, from.unit) || within(from.unit, to.unit) {
		return ""
	}
	return fmt.Sprintf("%s and %s stand on the same floor %d", from.unit, to.unit, from.floor)
}
