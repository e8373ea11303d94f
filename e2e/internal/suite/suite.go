// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package suite reads the result folders of the official MCP conformance suite and compares two
// runs check by check. It reads the suite's machine-readable files only, never its prose, and it
// calls anything that it cannot read, or that is missing, a difference.
package suite

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Statuses that the suite gives a check.
const (
	Success = "SUCCESS"
	Failure = "FAILURE"
)

// Check is one thing that the suite looked at.
type Check struct {
	Scenario string `json:"-"`
	ID       string `json:"id"`
	Name     string `json:"name"`
	// Nth counts the checks of one scenario with the same id and name, from 0.
	Nth    int    `json:"-"`
	Status string `json:"status"`
	Error  string `json:"errorMessage"`
}

// Key names a check within a run.
func (c Check) Key() string {
	key := c.Scenario + "/" + c.ID + "/" + c.Name
	if c.Nth > 0 {
		key += fmt.Sprintf("#%d", c.Nth+1)
	}
	return key
}

// Run is what one run of the suite found, in order of the checks' keys.
type Run []Check

// Count is the number of checks with a status.
func (r Run) Count(status string) int {
	n := 0
	for _, c := range r {
		if c.Status == status {
			n++
		}
	}
	return n
}

// folderName is how the suite names a scenario's folder: for servers "server", scenario, time.
var folderName = regexp.MustCompile(`^(?:server-)?(.+)-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z$`)

// Read reads the folder that the suite was told to write. A folder without results, a scenario that
// was run twice and a file that is not what the suite writes are errors.
func Read(dir string) (Run, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the suite's results: %v", err)
	}
	var run Run
	seen := map[string]bool{}
	for _, e := range entries {
		m := folderName.FindStringSubmatch(e.Name())
		if m == nil {
			return nil, fmt.Errorf("read the suite's results: %q is not a scenario's folder; was the suite's version changed?", e.Name())
		}
		if seen[m[1]] {
			return nil, fmt.Errorf("read the suite's results: scenario %q is there twice; give each run an empty folder", m[1])
		}
		seen[m[1]] = true
		checks, err := readScenario(m[1], filepath.Join(dir, e.Name(), "checks.json"))
		if err != nil {
			return nil, err
		}
		run = append(run, checks...)
	}
	if len(run) == 0 {
		return nil, errors.New("read the suite's results: there are none")
	}
	slices.SortFunc(run, func(a, b Check) int { return cmp.Compare(a.Key(), b.Key()) })
	return run, nil
}

func readScenario(name, path string) ([]Check, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read scenario %s: %v", name, err)
	}
	var checks []Check
	if err := json.Unmarshal(text, &checks); err != nil {
		return nil, fmt.Errorf("read scenario %s: %v", name, err)
	}
	if len(checks) == 0 {
		return nil, fmt.Errorf("read scenario %s: it has no checks", name)
	}
	nth := map[string]int{}
	for i := range checks {
		c := &checks[i]
		if c.ID == "" || c.Status == "" {
			return nil, fmt.Errorf("read scenario %s: check %d has no id or no status", name, i)
		}
		c.Scenario = name
		c.Nth = nth[c.ID+"/"+c.Name]
		nth[c.ID+"/"+c.Name]++
	}
	return checks, nil
}

// Exempt is a check whose result cannot be the same through the gate, with the reason.
type Exempt struct {
	Scenario, ID string
	Reason       string
}

// Compare lists every check whose status or error differs between two runs, or that only one of
// them has. An exemption that nothing needed is a difference too, so that the list cannot rot.
func Compare(want, got Run, exempt []Exempt) []string {
	var diffs []string
	used := make([]bool, len(exempt))
	exempted := func(c Check) bool {
		i := slices.IndexFunc(exempt, func(e Exempt) bool { return e.Scenario == c.Scenario && e.ID == c.ID })
		if i >= 0 {
			used[i] = true
		}
		return i >= 0
	}
	report := func(c Check, format string, args ...any) {
		if !exempted(c) {
			diffs = append(diffs, c.Key()+": "+fmt.Sprintf(format, args...))
		}
	}
	there := byKey(got)
	for _, w := range want {
		g, ok := there[w.Key()]
		delete(there, w.Key())
		switch {
		case !ok:
			report(w, "%s directly, absent through the gate", w.Status)
		case g.Status != w.Status:
			report(w, "%s directly, %s through the gate: %s", w.Status, g.Status, cmp.Or(g.Error, w.Error))
		case Normalise(g.Error) != Normalise(w.Error):
			report(w, "%s both times, but %q directly, %q through the gate", w.Status, w.Error, g.Error)
		}
	}
	for _, g := range got {
		if _, extra := there[g.Key()]; extra {
			report(g, "absent directly, %s through the gate: %s", g.Status, g.Error)
		}
	}
	for i, e := range exempt {
		if !used[i] {
			diffs = append(diffs, fmt.Sprintf("%s/%s: the exemption is not needed any more: remove it", e.Scenario, e.ID))
		}
	}
	return diffs
}

// Lost lists every check that succeeds in the one run and does not in the other: for runs where the
// suite plays the server, and sees the gate's own questions besides the client's.
func Lost(want, got Run, exempt []Exempt) []string {
	var lost []string
	used := 0
	there := byKey(got)
	for _, w := range want {
		g, ok := there[w.Key()]
		switch {
		case w.Status != Success || g.Status == Success:
		case slices.ContainsFunc(exempt, func(e Exempt) bool { return e.Scenario == w.Scenario && e.ID == w.ID }):
			used++
		case !ok:
			lost = append(lost, w.Key()+": succeeds directly, absent through the gate")
		default:
			lost = append(lost, fmt.Sprintf("%s: succeeds directly, %s through the gate: %s", w.Key(), g.Status, g.Error))
		}
	}
	if used < len(exempt) {
		lost = append(lost, fmt.Sprintf("%d exemptions are needed, %d are given: remove the rest", used, len(exempt)))
	}
	return lost
}

func byKey(r Run) map[string]Check {
	m := make(map[string]Check, len(r))
	for _, c := range r {
		m[c.Key()] = c
	}
	return m
}

// volatile is what differs between any two runs: addresses, times, session ids.
var volatile = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(127\.0\.0\.1|localhost):\d+(/mcp(/[a-z0-9-]+)?)?`), "ADDRESS"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?`), "TIME"},
	{regexp.MustCompile(`[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT`), "TIME"},
	{regexp.MustCompile(`\b[A-Z2-7]{26}\b`), "SESSION"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "SESSION"},
	// A gate names an unknown tool in words of its own.
	{regexp.MustCompile(`unknown tool "[^"]*"`), "UNKNOWN TOOL"},
	{regexp.MustCompile(`There is no such tool\.[^(]*\(UNKNOWN_TOOL, call [a-z0-9]+\)`), "UNKNOWN TOOL"},
}

// Normalise replaces what differs between any two runs and joins white space.
func Normalise(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	for _, v := range volatile {
		s = v.pattern.ReplaceAllString(s, v.with)
	}
	return s
}
