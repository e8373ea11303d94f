// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/schema"
	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

// maxFindings bounds what one answer must say: all of it becomes evidence.
const maxFindings = 8

// reconcile reads which tool tells what came of a lost call, and how.
func (r *reader) reconcile(n strictyaml.Node) *toolverdict.Reconcile {
	out := &toolverdict.Reconcile{Arguments: map[string]toolverdict.Term{}}
	known := []string{"tool", "arguments", "settled"}
	r.mapping(n, "reconcile", known, func(k, v strictyaml.Node) {
		switch k.Text {
		case "tool":
			out.Tool = r.text(v, "reconcile tool")
			if out.Tool != "" && (!strings.Contains(out.Tool, "/") || strings.Contains(out.Tool, "*")) {
				r.at(v, "reconcile tool %q: name one tool, as SERVER/TOOL", out.Tool)
			}
		case "arguments":
			r.some(v, "reconcile arguments", func(k, v strictyaml.Node) { out.Arguments[k.Text] = r.term(v, "reconcile argument "+k.Text) })
		case "settled":
			r.settled(out, v)
		}
	})
	for _, need := range []string{"tool", "settled"} {
		if n.Kind == strictyaml.Map && !slices.ContainsFunc(n.Keys, func(k strictyaml.Node) bool { return k.Text == need }) {
			r.at(n, "reconcile: %q is missing: it takes a tool, its arguments, and what of its answer settles the outcome", need)
		}
	}
	return out
}

// some reads a mapping that is not empty.
func (r *reader) some(n strictyaml.Node, what string, visit func(key, value strictyaml.Node)) {
	r.mapping(n, what, nil, visit)
	if n.Kind == strictyaml.Map && len(n.Keys) == 0 {
		r.at(n, "%s is empty: leave the key out, or say something", what)
	}
}

func (r *reader) settled(out *toolverdict.Reconcile, n strictyaml.Node) {
	r.mapping(n, "settled", []string{"succeeded", "failed", "failedAfter"}, func(k, v strictyaml.Node) {
		switch k.Text {
		case "succeeded":
			out.Succeeded = r.findings(v, "settled succeeded")
		case "failed":
			out.Failed = r.findings(v, "settled failed")
		case "failedAfter":
			out.FailedAfter = r.duration(v, "settled failedAfter")
		}
	})
	if n.Kind == strictyaml.Map && len(out.Succeeded) == 0 && len(out.Failed) == 0 {
		r.at(n, "settled: say what the answer must hold under succeeded, failed, or both")
	}
}

func (r *reader) findings(n strictyaml.Node, what string) []toolverdict.Finding {
	var out []toolverdict.Finding
	r.some(n, what, func(k, v strictyaml.Node) {
		r.pointer(k, what, false)
		out = append(out, r.finding(k.Text, v, what+" "+k.Text))
	})
	if len(out) > maxFindings {
		r.at(n, "%s: at most %d places can be named", what, maxFindings)
	}
	return out
}

func (r *reader) finding(at string, n strictyaml.Node, what string) toolverdict.Finding {
	f := toolverdict.Finding{At: at}
	switch {
	case n.Kind == strictyaml.Map && len(n.Keys) == 1 && n.Keys[0].Text == "exists":
		v := n.Values[0]
		exists := v.Text == "true"
		if v.Tag != "bool" {
			r.at(v, "%s: exists takes true or false", what)
		}
		f.Exists = &exists
	case n.Kind == strictyaml.List && len(n.Items) > 0:
		for _, item := range n.Items {
			f.Is = append(f.Is, r.term(item, what))
		}
	default:
		f.Is = []toolverdict.Term{r.term(n, what)}
	}
	return f
}

// term reads a value, or a reference to an argument of the lost call.
func (r *reader) term(n strictyaml.Node, what string) (t toolverdict.Term) {
	switch {
	case n.Kind == strictyaml.Map && len(n.Keys) == 1 && n.Keys[0].Text == "from":
		r.pointer(n.Values[0], what+": from", false)
		t.From = n.Values[0].Text
	case n.Kind == strictyaml.Scalar:
		raw, err := n.JSON()
		if err != nil {
			r.at(n, "%s: %v: put it in quotes", what, err)
		}
		t.Value = raw
	default:
		r.at(n, "%s must be a value, or {from: /argument} for an argument of the lost call", what)
	}
	return t
}

// checkReferences refuses a reconcile call that would be made of what a lost
// call may not have, or of what must not be kept.
func checkReferences(t *toolConfig, tree *schema.Field) error {
	if t.reconcile == nil {
		return nil
	}
	for _, term := range t.reconcile.Terms() {
		if term.From == "" {
			continue
		}
		if required, ok := find(tree, steps(term.From)); !ok || !required {
			return fmt.Errorf("the overlay's reconcile takes %s, which is not a required argument: a call without it could not be asked about", term.From)
		}
		for _, s := range t.sensitive {
			if overlaps(steps(s), steps(term.From)) {
				return fmt.Errorf("the overlay's reconcile takes %s, of which %s is sensitive: it would be kept and sent to another tool", term.From, s)
			}
		}
	}
	return nil
}

// overlaps reports whether one place is the other, or inside it.
func overlaps(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && a[i] != "*" {
			return false
		}
	}
	return true
}

// reconciled holds tools back whose reconcile call could change something: it is
// made to find out, and by people who look. One that is not listed, or that the
// arguments do not fit, only cannot be made; that is a warning.
func (b *assembly) reconciled() {
	for _, name := range slices.Sorted(maps.Keys(b.out.byName)) {
		ask := b.out.byName[name].Definition().Reconcile
		if ask == nil {
			continue
		}
		asked, listed := b.out.byName[ask.Tool]
		switch {
		case !listed:
			b.report.Warnings = append(b.report.Warnings, fmt.Sprintf("the reconcile tool of %s, %s, is not listed: until it is, nobody can ask it what came of a lost call", name, ask.Tool))
		case asked.Safety() != toolverdict.ReadOnly:
			b.withdraw(name, fmt.Sprintf("its reconcile tool %s is not read-only: asking what came of a call must not change anything", ask.Tool))
		default:
			if why := misfit(ask, asked); why != "" {
				b.report.Warnings = append(b.report.Warnings, fmt.Sprintf("the reconcile call of %s will be refused: %s %s", name, ask.Tool, why))
			}
		}
	}
}

// misfit says why a call's arguments cannot be those of the tool, as far as that
// is known before there are any.
func misfit(ask *toolverdict.Reconcile, asked *toolverdict.Tool) string {
	compiled, ok := asked.Schema().(*schema.Schema)
	if !ok {
		return ""
	}
	tree := compiled.Tree()
	for _, name := range slices.Sorted(maps.Keys(ask.Arguments)) {
		if _, possible := find(tree, []string{name}); !possible {
			return fmt.Sprintf("takes no argument %q", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tree.Fields)) {
		if _, given := ask.Arguments[name]; !given && tree.Fields[name].Required {
			return fmt.Sprintf("needs the argument %q", name)
		}
	}
	return ""
}

// withdraw holds a tool back that was listed.
func (b *assembly) withdraw(name, reason string) {
	server := b.out.byName[name].Server()
	delete(b.out.byName, name)
	delete(b.out.pinned, name)
	for i := range b.report.Tools {
		if e := &b.report.Tools[i]; e.Tool == name && e.State == Listed {
			e.State, e.Reason, e.Seen = Refused, reason, Pin{}
			b.out.held[name] = reason
			return
		}
	}
	b.hold(Entry{Tool: name, Server: server, State: Refused}, reason)
}
