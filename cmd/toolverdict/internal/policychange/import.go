// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policychange

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policyfiles"
	"github.com/toolverdict/toolverdict/internal/workbench/convert"
	"github.com/toolverdict/toolverdict/policy"
)

// importing are the flags of one import.
type importing struct {
	convert.Options
	from, out, calls string
	meant            []string
}

func (a *commands) imports() *cobra.Command {
	var p importing
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Turn another program's rules into a policy, to be reviewed",
		Long: `Turn another program's rules into a policy, to be reviewed.

FILE is an ordered first-match list, or a settings file of Claude Code with
permission lists. The policy allows no call that the original did not; where a
meaning cannot be kept exactly, the rule is stricter or left out, and a warning
says so. Where there is a configuration, names and types are held against the
tools that it tells of. The policy goes to standard output, or into a new file.
With --calls each call is decided by both, side by side, and the policy is written
only where --out names a file; that needs an ordered list, for how Claude Code
decides cannot be asked here.`,
		Args: cli.One("the file to convert"),
	}
	f := c.Flags()
	f.StringVar(&p.from, "from", "", "`form` of the file: ordered or claude-code (else what its members tell)")
	f.StringVar(&p.Policy, "name", "", "`name` of the policy (else that of the file)")
	f.StringVar(&p.Version, "policy-version", "v1", "`version` of the policy")
	f.StringVar(&p.Server, "server", "", "`name` of the server whose tools are meant")
	f.BoolVar(&p.Fix, "fix", false, "write what was likely meant in place of a value whose type never matches")
	f.BoolVar(&p.Open, "keep-default-allow", false, "keep a default of allow, which is unsafe")
	f.StringVar(&p.Home, "home", "", "`folder` that ~ stands for")
	f.StringVar(&p.Project, "project", "", "`folder` that paths of a project start at")
	f.StringArrayVar(&p.meant, "tool", nil, "a tool here for one of Claude Code's: `Bash=server/tool`; may be repeated")
	f.StringVar(&p.calls, "calls", "", "`file` of calls, one JSON object a line, to decide by both")
	f.StringVar(&p.out, "out", "", "new `file` for the policy")
	c.RunE = func(c *cobra.Command, args []string) error { return a.runImport(c, args[0], &p) }
	a.OutputFlag(c)
	return a.FileFlags(c)
}

func (a *commands) runImport(c *cobra.Command, path string, p *importing) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return cli.Usage("read %s: %v", filepath.Base(path), err)
	}
	cat, err := policyfiles.Known(c.Context(), a.App)
	if err != nil {
		return err
	}
	if cat != nil {
		p.Tools = cat.Tools()
	}
	if p.Policy == "" {
		p.Policy = policyfiles.Name(path, "imported")
	}
	source := convert.Source{Name: filepath.Base(path), Content: content}
	list, made, err := p.convert(source, c.Flags().Changed)
	if err != nil {
		return cli.Usage("%v", err)
	}
	text := made.File.YAML()
	set, err := made.Compile(cat)
	if err != nil {
		return cli.Usage("%s: what was made of it does not load:\n%v", filepath.Base(path), err)
	}
	var compared []convert.Beside
	if p.calls != "" {
		if compared, err = a.beside(p.calls, list, set, cat); err != nil {
			return err
		}
	}
	if err := a.imported(p, made, text, compared); err != nil {
		return err
	}
	return verdictOf(compared)
}

// imported writes what came of it: the policy where a file is named for it, and
// the rest on the terminal.
func (a *commands) imported(p *importing, made convert.Converted, text []byte, compared []convert.Beside) error {
	if p.out != "" {
		if err := policyfiles.Write(a.App, p.out, text); err != nil {
			return err
		}
	}
	if a.JSON() {
		out := map[string]any{"policy": string(text), "rules": len(made.File.Rules), "findings": append([]convert.Finding{}, made.Findings...)}
		if p.calls != "" {
			out["calls"] = compared
		}
		return cli.JSON(a.Stdout, out)
	}
	for _, finding := range made.Findings {
		fmt.Fprintln(a.Stderr, "warning:", cli.Line(finding.String()))
	}
	switch {
	case p.calls != "":
		return cli.Table(a.Stdout, table(compared))
	case p.out == "":
		return policyfiles.Write(a.App, "", text)
	}
	return nil
}

// verdictOf fails where the policy is the milder one.
func verdictOf(rows []convert.Beside) error {
	if slices.ContainsFunc(rows, func(r convert.Beside) bool { return r.Milder() }) {
		return cli.Quiet(cli.ExitDenied)
	}
	return nil
}

// beside decides the calls of a file by an ordered list and by what was made of
// it.
func (a *commands) beside(path string, list *convert.List, set *policy.Set, known tv.Catalog) ([]convert.Beside, error) {
	if list == nil {
		return nil, cli.Usage("--calls: only an ordered list can be decided beside the policy: how Claude Code decides cannot be asked here; write the calls as tests and run 'policy test'")
	}
	found, err := policyfiles.Calls(a.App, path)
	if err != nil {
		return nil, err
	}
	rows, err := list.Compare(set, known, found)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	return rows, nil
}

func table(rows []convert.Beside) [][]string {
	out := [][]string{{"CALL", "TOOL", "ORIGINAL", "BY", "POLICY", "BY", ""}}
	for _, r := range rows {
		note := ""
		if r.Original != r.Policy {
			note = "differs"
		}
		out = append(out, []string{r.Call, r.Tool, r.Original.String(), policyfiles.Rule(r.OriginalRule), r.Policy.String(), policyfiles.Rule(r.PolicyRule), note})
	}
	return out
}

// convert converts the file; the list is nil where the original is no list. A
// flag that says nothing about its form is refused, for somebody relies on it.
func (p *importing) convert(s convert.Source, given func(flag string) bool) (*convert.List, convert.Converted, error) {
	from := p.from
	if from == "" {
		from = convert.Kind(s.Content)
	}
	switch from {
	case "ordered":
		for _, flag := range []string{"tool", "home", "project"} {
			if given(flag) {
				return nil, convert.Converted{}, cli.Usage("--%s is about permission lists, and %s is an ordered list: leave it out", flag, s.Name)
			}
		}
		return convert.Ordered(s, p.Options)
	case "claude-code":
		for _, flag := range []string{"server", "fix", "keep-default-allow"} {
			if given(flag) {
				return nil, convert.Converted{}, cli.Usage("--%s is about an ordered list, and %s holds permission lists: leave it out", flag, s.Name)
			}
		}
		meant, err := p.tools()
		if err != nil {
			return nil, convert.Converted{}, err
		}
		made, err := convert.Permissions(s, p.Options, meant)
		return nil, made, err
	case "":
		return nil, convert.Converted{}, cli.Usage("%s: it is neither an ordered list (\"rules\") nor has it permission lists (\"permissions\"): name its form with --from", s.Name)
	}
	return nil, convert.Converted{}, cli.Usage("--from: ordered or claude-code")
}

// tools are ours by the name that Claude Code has for such.
func (p *importing) tools() (map[string][]string, error) {
	meant := map[string][]string{}
	for _, one := range p.meant {
		theirs, ours, ok := strings.Cut(one, "=")
		if !ok || theirs == "" || ours == "" {
			return nil, cli.Usage("--tool: write THEIRS=OURS, such as Bash=server/execute_shell")
		}
		meant[theirs] = append(meant[theirs], ours)
	}
	return meant, nil
}
