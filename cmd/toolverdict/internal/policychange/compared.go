// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policychange

import (
	"encoding/json"
	"os"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
	"github.com/toolverdict/toolverdict/internal/workbench/convert"
	"github.com/toolverdict/toolverdict/policy"
)

// both is one call as the original and the policy decide it.
type both struct {
	Call         string          `json:"call"`
	Tool         string          `json:"tool"`
	Arguments    json.RawMessage `json:"arguments"`
	Original     tv.Verdict      `json:"original"`
	OriginalRule string          `json:"originalRule"`
	Policy       tv.Verdict      `json:"policy"`
	PolicyRule   string          `json:"policyRule"`
}

// readCalls reads a file of calls; "-" is standard input.
func (a *commands) readCalls(path string) ([]calls.Call, error) {
	from := a.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, cli.Usage("read calls: %v", err)
		}
		defer f.Close()
		from = f
	}
	list, err := calls.Read(path, from)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	return list, nil
}

// compared decides calls by an ordered list and by what was made of it.
func (a *commands) compared(path string, list *convert.List, set *policy.Set, cat *catalog.Catalog) (out []both, same bool, err error) {
	if path == "" {
		return nil, true, nil
	}
	if list == nil {
		return nil, false, cli.Usage("--calls: only an ordered list can be decided beside the policy")
	}
	found, err := a.readCalls(path)
	if err != nil {
		return nil, false, err
	}
	same, out = true, []both{}
	for i := range found {
		t, err := toolOf(cat, found[i].Tool)
		if err != nil {
			return nil, false, cli.Usage("%s: %v", found[i].At, err)
		}
		row := both{Call: found[i].At, Tool: t.Name(), Arguments: found[i].Arguments.Raw()}
		row.Original, row.OriginalRule = list.Decide(t.Name(), found[i].Arguments)
		d := set.Decide(found[i].Request(t))
		row.Policy, row.PolicyRule = d.Verdict, d.Rule
		same = same && row.Policy <= row.Original // the stricter is the smaller
		out = append(out, row)
	}
	return out, same, nil
}

func table(rows []both) [][]string {
	out := [][]string{{"CALL", "TOOL", "ORIGINAL", "BY", "POLICY", "BY", ""}}
	for _, r := range rows {
		note := ""
		if r.Original != r.Policy {
			note = "differs"
		}
		out = append(out, []string{r.Call, r.Tool, r.Original.String(), rule(r.OriginalRule), r.Policy.String(), rule(r.PolicyRule), note})
	}
	return out
}

func rule(id string) string {
	if id == "" {
		return "default"
	}
	return id
}

// toolOf finds a tool by its name, with its server or without where one server
// has it. Without a catalog, or where the tool is not in it, one that accepts
// anything stands in for it.
func toolOf(cat *catalog.Catalog, name string) (*tv.Tool, error) {
	if cat != nil {
		if t, ok := cat.Tool(name); ok {
			return t, nil
		}
		if found := calls.Named(cat.Tools(), name); len(found) == 1 {
			return found[0], nil
		}
	}
	return calls.StandIn(name)
}
