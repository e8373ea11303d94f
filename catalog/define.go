// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/schema"
)

// anyObject is the schema of a tool that has none.
const anyObject = `{"type":"object"}`

// fromServer is what a definition is before the overlay: what the server may
// say, and the pessimistic rest.
func fromServer(server Server, a *announced) toolverdict.Definition {
	def := toolverdict.Definition{
		Name: a.full, Server: server.Name,
		Title: a.text("title"), Description: a.text("description"),
		InputSchema: a.json("inputSchema"), OutputSchema: a.json("outputSchema"), Annotations: a.json("annotations"),
		Safety: toolverdict.Destructive, Risk: toolverdict.HighRisk,
		Confirmation: toolverdict.ConfirmByRisk, Execution: toolverdict.Parallel, Timeout: server.Timeout, Place: server.Place,
	}
	if def.Title == "" {
		def.Title = a.text("annotations", "title")
	}
	if server.TrustAnnotations {
		def.Safety, def.Risk = byHints(a)
	}
	return def
}

// byHints reads the annotations of a trusted server. Only a plain readOnlyHint
// makes a tool read-only; only a plain destructiveHint of false, which says that
// it only adds, lowers the risk of one that writes. Hints that contradict each
// other, or are no booleans, count for nothing.
func byHints(a *announced) (toolverdict.Safety, toolverdict.Risk) {
	reads, _ := a.hint("readOnlyHint")
	destroys, given := a.hint("destructiveHint")
	switch {
	case reads && destroys:
		return toolverdict.Destructive, toolverdict.HighRisk
	case reads:
		return toolverdict.ReadOnly, toolverdict.LowRisk
	case given && !destroys:
		return toolverdict.Destructive, toolverdict.MediumRisk
	}
	return toolverdict.Destructive, toolverdict.HighRisk
}

// overlaid puts the operator's words over a definition: they always win. A
// medium or high risk without a permission gets the tool's own.
func overlaid(def toolverdict.Definition, t *toolConfig) toolverdict.Definition {
	if t != nil {
		set(&def.Title, t.title)
		set(&def.Description, t.description)
		set(&def.Safety, t.safety)
		set(&def.Risk, t.risk)
		set(&def.Permission, t.permission)
		set(&def.Confirmation, t.confirmation)
		set(&def.Execution, t.execution)
		set(&def.Summary, t.summary)
		set(&def.Impact, t.impact)
		if t.schema != nil {
			def.InputSchema = slices.Clone(t.schema)
		}
		def.Groups, def.Sensitive = slices.Clone(t.groups), slices.Clone(t.sensitive)
		def.Roles = maps.Clone(t.roles)
		if t.place != (toolverdict.Place{}) {
			def.Place = t.place
		}
		def.Idempotency = toolverdict.Idempotency{Key: slices.Clone(t.idempotency.Key), Window: t.idempotency.Window}
		def.Reconcile, def.Guidance = t.reconcile, maps.Clone(t.guidance) // the tool keeps a copy
		if t.timeout > 0 {
			def.Timeout = t.timeout
		}
	}
	if def.Permission == "" && def.Risk != toolverdict.LowRisk {
		def.Permission = "tool:" + def.Name
	}
	if def.InputSchema == nil {
		def.InputSchema = json.RawMessage(anyObject)
	}
	return def
}

func set[T ~string](to *T, from T) {
	if from != "" {
		*to = from
	}
}

// freeze makes the tool of a definition. Schemas of one text are compiled once.
func (b *assembly) freeze(def toolverdict.Definition, t *toolConfig) (*toolverdict.Tool, error) {
	compiled, err := b.compiled(def, t)
	if err != nil {
		return nil, err
	}
	if t != nil {
		if err := checkPointers(t, compiled.Tree()); err != nil {
			return nil, err
		}
	}
	return toolverdict.NewTool(def, compiled)
}

func (b *assembly) compiled(def toolverdict.Definition, t *toolConfig) (*schema.Schema, error) {
	if t != nil && t.compiled != nil {
		return t.compiled, nil
	}
	text := string(def.InputSchema)
	if s, ok := b.schemas[text]; ok {
		return s, nil
	}
	s, err := schema.Compile(def.InputSchema, schema.Options{})
	if err == nil {
		b.schemas[text] = s
	}
	return s, err
}

// checkPointers refuses an overlay that points at arguments which the schema
// does not have: a misspelt one would leave a secret shown, or a path
// unchecked, without anybody noticing.
func checkPointers(t *toolConfig, tree *schema.Field) error {
	for _, p := range pointed(t.roles) {
		if _, ok := find(tree, steps(p)); !ok {
			return fmt.Errorf("the overlay gives a role to %s, which the schema does not have", p)
		}
	}
	for _, p := range t.sensitive {
		if _, ok := find(tree, steps(p)); !ok {
			return fmt.Errorf("the overlay calls %s sensitive, which the schema does not have", p)
		}
	}
	for _, p := range t.idempotency.Key {
		if required, ok := find(tree, steps(p)); !ok || !required {
			return fmt.Errorf("the overlay's idempotency key %s is not a required argument: calls without it would count as one", p)
		}
	}
	return checkReferences(t, tree)
}

func steps(pointer string) []string {
	parts := strings.Split(pointer, "/")[1:]
	for i, p := range parts {
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(p)
	}
	return parts
}

// find reports whether a value could be at the place, and whether it must be
// there. A place inside a member of which the schema says nothing is possible.
func find(f *schema.Field, path []string) (required, possible bool) {
	required = true
	for _, step := range path {
		if f == nil {
			return false, true
		}
		next, ok := into(f, step)
		if !ok {
			return false, false
		}
		required = required && next != nil && next.Required
		f = next
	}
	return required, f == nil || f.Types == nil || len(f.Types) > 0
}

// into goes one step. A name that is not among declared ones is taken for a
// slip, even where the schema would let any name pass.
func into(f *schema.Field, step string) (next *schema.Field, ok bool) {
	object := f.Types == nil || slices.Contains(f.Types, "object")
	array := f.Types == nil || slices.Contains(f.Types, "array")
	_, err := strconv.ParseUint(step, 10, 31)
	switch m, named := f.Fields[step]; {
	case named && object:
		return m, true
	case array && f.Items != nil && (step == "*" || err == nil):
		return f.Items, true
	case step == "*" && len(f.Fields) > 0:
		return nil, true
	case object && len(f.Fields) == 0 && !f.Closed:
		return f.Other, true
	case array && (step == "*" || err == nil):
		return f.Items, true
	}
	return nil, false
}

// unknownPlaceholders lists the {names} of a summary that are no arguments.
func unknownPlaceholders(summary string, tree *schema.Field) []string {
	var out []string
	for _, m := range regexp.MustCompile(`\{([^{}]*)\}`).FindAllStringSubmatch(summary, -1) {
		if _, ok := tree.Fields[m[1]]; !ok {
			out = append(out, m[0])
		}
	}
	return out
}
