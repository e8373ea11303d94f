// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// File is one policy file as it was read. A name that ends in .json is parsed
// as strict JSON, any other as YAML; the name is used in messages only.
type File struct {
	Name    string
	Content []byte
}

// Options changes how strictly rules are checked against the tools.
type Options struct {
	// Discovery says that tools will be known later that the catalog does not
	// hold yet. What is only wrong with the tools of now is then a warning.
	Discovery bool
	// Meaning also looks for rules that are not what their writer can have meant:
	// that can never match, that another one overrides, that compare paths and
	// hosts letter by letter. It only warns, and takes some time.
	Meaning bool
	// Analyse says what a call would do, for the examples beside rules that do not
	// list effects themselves. Without it, nothing is known of those.
	Analyse func(t *toolverdict.Tool, arguments toolverdict.Value, facts map[string]string) []toolverdict.Effect
	// NoExamples passes over the examples beside rules, of files that only serve
	// to be asked and are in force nowhere.
	NoExamples bool
}

// Set is a compiled policy. It never changes and is safe for concurrent use.
type Set struct {
	version  string
	hash     string
	fallback toolverdict.Verdict
	rules    []*rule // by id
	fields   int     // how many distinct fields the rules look at
	tools    map[string]*tool
	known    map[*toolverdict.Tool]*tool
	sums     []*predicate.Question // what any rule adds up
	source   inspected
}

var _ toolverdict.Policy = (*Set)(nil)

// Compile loads files as one set and checks it against the tools of the
// catalog; a nil catalog means that no tool is known yet. The error is
// [Problems], every one with its place. The report is filled as far as loading
// came; its warnings stop nothing.
func Compile(files []File, cat toolverdict.Catalog, o Options) (*Set, Report, error) {
	parsed, problems := parse(files)
	if len(problems) > 0 {
		return nil, Report{}, problems.Sort()
	}
	b := newBuilder(parsed)
	b.build()
	var tools []*tool
	if cat != nil {
		tools = newTools(cat.Tools())
	}
	c := newChecker(b, tools, o)
	c.check()
	if len(b.problems) > 0 {
		return nil, Report{Warnings: c.warnings.Sort()}, b.problems.Sort()
	}
	s := b.set()
	s.source = inspected{parsed, tools, o}
	s.addTools(tools, c.covered)
	if !o.NoExamples {
		runExamples(s, c)
	}
	report := c.report(s)
	if len(b.problems) > 0 {
		return nil, report, b.problems.Sort()
	}
	return s, report, nil
}

// parse reads all files and refuses names that two of them use.
func parse(files []File) ([]*syntax.File, Problems) {
	var parsed []*syntax.File
	var problems Problems
	if len(files) == 0 {
		return nil, Problems{{Pos: syntax.Pos{File: "policy", Line: 1, Column: 1}, Message: "there is no policy file", Hint: "name at least one: no policy would mean no decision"}}
	}
	for _, f := range files {
		one, found := syntax.Parse(f.Name, f.Content)
		problems = append(problems, found...)
		if one != nil {
			parsed = append(parsed, one)
		}
	}
	names, ids := map[string]*syntax.File{}, map[string]*syntax.Rule{}
	for _, f := range parsed {
		if other := names[f.Policy]; other != nil {
			problems = append(problems, Problem{Pos: f.Pos, Message: fmt.Sprintf("the policy name %q is used by two files", f.Policy), Hint: "rename one of them; the other is " + other.File})
		}
		names[f.Policy] = f
		for _, r := range f.Rules {
			if other := ids[r.ID]; other != nil && other.File != r.File {
				problems = append(problems, Problem{Pos: r.Pos, Message: fmt.Sprintf("the rule id %q is used twice", r.ID), Hint: fmt.Sprintf("rename one of them; the other is in %s on line %d", other.File, other.Line)})
			}
			ids[r.ID] = r
		}
	}
	return parsed, problems
}

// Identity returns the version and the content hash. With one file the version
// is the file's; with several it is name@version of each, by name. The hash is
// SHA-256 over the canonical content: it does not depend on formatting,
// comments, or the order of files, keys and rules; any other change is another
// hash.
func (s *Set) Identity() (version, hash string) { return s.version, s.hash }

func identity(files []*syntax.File) (version, hash string) {
	sorted := slices.SortedFunc(slices.Values(files), func(a, b *syntax.File) int { return strings.Compare(a.Policy, b.Policy) })
	h := sha256.New()
	h.Write([]byte("toolverdict policy 1\n")) // the language's own version: another meaning is another hash
	versions := make([]string, len(sorted))
	for i, f := range sorted {
		h.Write(f.Content)
		h.Write([]byte("\n"))
		versions[i] = f.Policy + "@" + f.Version
	}
	if len(sorted) == 1 {
		versions[0] = sorted[0].Version
	}
	return strings.Join(versions, "+"), hex.EncodeToString(h.Sum(nil))
}

// Cases is a file of tests: calls, each with what is to be decided about it.
type Cases = syntax.Cases

// Case is one of them, or a call that expects nothing.
type Case = syntax.Case

// Want is what a case expects.
type Want = syntax.Want

// ParseCases reads a file of tests. The error is [Problems].
func ParseCases(f File) (*Cases, error) { return whole(syntax.ParseCases(f.Name, f.Content)) }

// ParseCall reads one call, written like a case. The error is [Problems].
func ParseCall(f File) (*Case, error) { return whole(syntax.ParseCall(f.Name, f.Content)) }

// Format gives a policy, or a file of tests, the usual layout: every comment
// stays, and what the file says is the same. The error is [Problems]: a file
// that does not parse is not laid out.
func Format(f File) ([]byte, error) { return whole(syntax.Format(f.Name, f.Content)) }

// whole is what was read without a problem.
func whole[T any](out T, problems Problems) (T, error) {
	if len(problems) > 0 {
		return out, problems
	}
	return out, nil
}

//go:embed schema.json
var jsonSchema string

// JSONSchema returns the JSON Schema (2020-12) of a policy file, for editors.
// It refuses less than [Compile], which also knows the tools and what the parts
// mean together.
func JSONSchema() []byte { return []byte(jsonSchema) }
