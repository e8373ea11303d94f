// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/schema"
	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

//go:embed schema.json
var jsonSchema []byte

// JSONSchema returns the published JSON Schema of overlay files, for editors.
// [ParseOverlay] is stricter: it also checks what no schema can say.
func JSONSchema() []byte { return slices.Clone(jsonSchema) }

// Overlay is what an operator says of tools: one file, parsed and checked. It
// is immutable.
type Overlay struct {
	file  string
	tools map[string]toolConfig // by key: a full name, or a pattern
}

// Servers returns the servers that overlays name tools of, sorted. A pattern of
// several servers names none.
func Servers(overlays []*Overlay) []string {
	var out []string
	for _, o := range overlays {
		for key := range o.tools {
			if server, _, ok := strings.Cut(key, "/"); ok && !strings.Contains(server, "*") {
				out = append(out, server)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// toolConfig is one entry. Fields that the file leaves out are zero.
type toolConfig struct {
	line         int
	title        string
	description  string
	schema       json.RawMessage
	compiled     *schema.Schema
	safety       toolverdict.Safety
	risk         toolverdict.Risk
	permission   string
	confirmation toolverdict.Confirmation
	execution    toolverdict.Execution
	groups       []string
	roles        map[string]toolverdict.Role
	place        toolverdict.Place
	sensitive    []string
	summary      string
	impact       string
	idempotency  toolverdict.Idempotency
	reconcile    *toolverdict.Reconcile
	timeout      time.Duration
	guidance     map[toolverdict.Code]string
}

// overlayKeys are the keys of one entry, in the order of the reference.
func overlayKeys() []string {
	return []string{
		"title", "description", "schema", "safety", "risk", "permission", "confirmation", "execution", "groups",
		"roles", "place", "sensitive", "summary", "impact", "idempotency", "reconcile", "timeout", "guidance",
	}
}

// ParseOverlay reads an overlay file. It is strict: unknown and repeated keys,
// empty lists, words out of place and schemas that do not compile are errors
// with file, line and column, up to twenty at once. The name is only used in
// them.
func ParseOverlay(file string, src []byte) (*Overlay, error) {
	r := &reader{file: file}
	o := &Overlay{file: file, tools: map[string]toolConfig{}}
	if root, ok := r.open(src); ok {
		r.catalog(o, root)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return o, nil
}

func (r *reader) catalog(o *Overlay, root strictyaml.Node) {
	tools := false
	r.mapping(root, "the catalog", []string{"version", "tools"}, func(key, value strictyaml.Node) {
		if key.Text == "version" {
			if value.Tag != "int" || value.Text != "1" {
				r.at(value, "version must be 1")
			}
			return
		}
		tools = true
		r.mapping(value, "tools", nil, func(key, value strictyaml.Node) {
			r.toolKey(key)
			o.tools[key.Text] = r.tool(key, value)
		})
	})
	if !tools && root.Kind == strictyaml.Map && len(r.problems) == 0 {
		r.at(root, `"tools" is missing: write the tools under it, or "tools: {}" for none`)
	}
}

// toolKey checks that a key can be the full name of a tool, or a pattern.
func (r *reader) toolKey(n strictyaml.Node) {
	server, tool, slash := strings.Cut(n.Text, "/")
	switch {
	case n.Text == "*":
	case !slash || server == "" || tool == "":
		r.at(n, "tool %q: a key is SERVER/TOOL, SERVER/@METHOD, or a pattern with *", n.Text)
	case strings.Contains(n.Text, "**"):
		r.at(n, "tool %q: one * matches any text already", n.Text)
	case !strings.Contains(server, "*") && serverNameFault(server) != "":
		r.at(n, "tool %q: the server's name %s", n.Text, serverNameFault(server))
	case !strings.Contains(tool, "*") && !strings.HasPrefix(tool, "@") && nameFault(tool) != "":
		r.at(n, "tool %q: the tool's name %s", n.Text, nameFault(tool))
	}
}

func (r *reader) tool(key, n strictyaml.Node) toolConfig {
	t := toolConfig{line: key.Line}
	what := fmt.Sprintf("tool %q", key.Text)
	r.mapping(n, what, overlayKeys(), func(k, v strictyaml.Node) { r.toolField(&t, k.Text, v) })
	if n.Kind == strictyaml.Map && len(n.Keys) == 0 {
		r.at(n, "%s says nothing: leave it out, or describe it", what)
	}
	return t
}

func (r *reader) toolField(t *toolConfig, key string, n strictyaml.Node) {
	switch key {
	case "title":
		t.title = r.text(n, key)
	case "description":
		t.description = r.text(n, key)
	case "schema":
		t.schema, t.compiled = r.schema(n)
	case "safety":
		t.safety = toolverdict.Safety(r.word(n, key, "read-only", "destructive"))
	case "risk":
		t.risk = toolverdict.Risk(r.word(n, key, "low", "medium", "high"))
	case "permission":
		t.permission = r.permission(n)
	case "confirmation":
		t.confirmation = toolverdict.Confirmation(r.word(n, key, "risk", "always", "never"))
	case "execution":
		t.execution = toolverdict.Execution(r.word(n, key, "parallel", "sequential"))
	case "groups":
		t.groups = r.groups(n)
	case "roles":
		t.roles = r.roles(n)
	case "place":
		t.place = r.place(n)
	case "sensitive":
		t.sensitive = r.pointers(n, key, true)
	case "summary":
		t.summary = r.sentence(n, key)
	case "impact":
		t.impact = r.sentence(n, key)
	case "idempotency":
		t.idempotency = r.idempotency(n)
	case "reconcile":
		t.reconcile = r.reconcile(n)
	case "timeout":
		t.timeout = r.duration(n, key)
	case "guidance":
		t.guidance = r.guidance(n)
	}
}

func (r *reader) schema(n strictyaml.Node) (json.RawMessage, *schema.Schema) {
	if n.Kind != strictyaml.Map {
		r.at(n, "schema must be a JSON Schema: a mapping with type, properties and so on")
		return nil, nil
	}
	raw, err := n.JSON()
	if err != nil {
		r.at(n, "schema: %v", err)
		return nil, nil
	}
	compiled, err := schema.Compile(raw, schema.Options{Strict: true})
	if err != nil {
		r.at(n, "schema: %v", err)
		return nil, nil
	}
	return raw, compiled
}

// permission refuses a pattern: a tool needs one permission, subjects may hold
// patterns.
func (r *reader) permission(n strictyaml.Node) string {
	s := r.text(n, "permission")
	if strings.ContainsAny(s, "* \t\n") {
		r.at(n, "permission %q: name exactly one permission, without * and spaces", s)
		return ""
	}
	return s
}

// sentence is text for people: one line, nothing hidden.
func (r *reader) sentence(n strictyaml.Node, what string) string {
	s := strings.TrimSpace(r.text(n, what))
	if plain.Text(s) != s || strings.ContainsAny(s, "\n\r\t") {
		r.at(n, "%s must be one line of visible text", what)
	}
	return s
}

func (r *reader) groups(n strictyaml.Node) []string {
	groups := r.texts(n, "groups")
	for i, g := range groups {
		if g != "" && !isGroup(g) {
			r.at(n.Items[i], "group %q: use letters, digits, dots, dashes and underscores", g)
		}
	}
	return groups
}

func isGroup(s string) bool {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`).MatchString(s)
}

// pointer checks a JSON pointer (RFC 6901) to an argument. Where wild is set, a
// step * stands for every member or item.
func (r *reader) pointer(n strictyaml.Node, what string, wild bool) {
	s := n.Text
	bare := strings.NewReplacer("~0", "", "~1", "").Replace(s)
	switch {
	case n.Tag != "str" || !strings.HasPrefix(s, "/") || len(s) < 2 || strings.Contains(bare, "~"):
		r.at(n, "%s: %q is not a JSON pointer to an argument: write it like /order_id or /items/0/name", what, s)
	case !wild && slices.Contains(strings.Split(s, "/"), "*"):
		r.at(n, "%s: %q: * is not accepted here: name one argument", what, s)
	}
}

func (r *reader) pointers(n strictyaml.Node, what string, wild bool) []string {
	out := r.texts(n, what)
	for i, s := range out {
		if s != "" {
			r.pointer(n.Items[i], what, wild)
		}
	}
	return out
}

func (r *reader) idempotency(n strictyaml.Node) toolverdict.Idempotency {
	var id toolverdict.Idempotency
	r.mapping(n, "idempotency", []string{"key", "window"}, func(k, v strictyaml.Node) {
		if k.Text == "key" {
			id.Key = r.pointers(v, "idempotency key", false)
			return
		}
		id.Window = r.duration(v, "idempotency window")
	})
	if n.Kind == strictyaml.Map && len(n.Keys) == 0 {
		r.at(n, "idempotency is empty: name a key, a window, or both")
	}
	return id
}

func (r *reader) guidance(n strictyaml.Node) map[toolverdict.Code]string {
	var codes []string
	for _, c := range toolverdict.Codes() {
		codes = append(codes, string(c))
	}
	out := map[toolverdict.Code]string{}
	r.mapping(n, "guidance", codes, func(k, v strictyaml.Node) {
		out[toolverdict.Code(k.Text)] = r.sentence(v, "guidance for "+k.Text)
	})
	if n.Kind == strictyaml.Map && len(n.Keys) == 0 {
		r.at(n, "guidance is empty: leave the key out for none")
	}
	return out
}
