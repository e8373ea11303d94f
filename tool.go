// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"
)

// Safety says whether a tool only reads. The zero value is not valid.
type Safety string

// Safeties.
const (
	ReadOnly    Safety = "read-only"
	Destructive Safety = "destructive"
)

// Risk sets what a call needs at least: low runs and is recorded, medium needs
// the tool's permission, high needs it and a human's confirmation.
type Risk string

// Risks.
const (
	LowRisk    Risk = "low"
	MediumRisk Risk = "medium"
	HighRisk   Risk = "high"
)

// Confirmation says when a human must confirm, whatever the policy allows.
type Confirmation string

// Confirmations.
const (
	ConfirmByRisk Confirmation = "risk"   // high risk asks; the default
	ConfirmAlways Confirmation = "always" // every call asks
	ConfirmNever  Confirmation = "never"  // the operator waives it; rules may still ask
)

// Execution says whether calls of one message may run side by side.
type Execution string

// Executions.
const (
	Parallel   Execution = "parallel"
	Sequential Execution = "sequential"
)

// Idempotency names the arguments that make two calls the same business act.
type Idempotency struct {
	Key    []string      `json:"key,omitempty"`    // JSON pointers into the arguments
	Window time.Duration `json:"window,omitempty"` // how long a repeat returns the stored result
}

// Definition is everything the gate knows about a tool. It is data to build a
// [Tool] from; the tool keeps a deep copy.
type Definition struct {
	Name         string          `json:"name"`   // full name, "server/tool"
	Server       string          `json:"server"` // upstream that runs it
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	Safety       Safety          `json:"safety"`
	Risk         Risk            `json:"risk"`
	Permission   string          `json:"permission,omitempty"`
	Confirmation Confirmation    `json:"confirmation"`
	Execution    Execution       `json:"execution"`
	Groups       []string        `json:"groups,omitempty"`
	Roles        map[string]Role `json:"roles,omitempty"` // by JSON pointer, in which a step * stands for every member or item
	Place        Place           `json:"place,omitzero"`
	Sensitive    []string        `json:"sensitive,omitempty"` // JSON pointers never shown or recorded
	Summary      string          `json:"summary,omitempty"`   // one plain sentence, {argument} filled in
	Impact       string          `json:"impact,omitempty"`
	Idempotency  Idempotency     `json:"idempotency,omitzero"`
	Reconcile    *Reconcile      `json:"reconcile,omitempty"`
	Timeout      time.Duration   `json:"timeout,omitempty"`
	Guidance     map[Code]string `json:"guidance,omitempty"` // the tool's own advice by error code
}

// Tool is a frozen definition with its compiled schema. It is safe for
// concurrent use; nothing a caller holds can change it.
type Tool struct {
	def    Definition
	hash   string
	schema Schema
	roles  []string // the pointers that have roles, sorted
}

// NewTool freezes a definition. It refuses one that leaves safety, risk,
// confirmation or execution open, and a medium or high risk without a
// permission: an empty permission would be nobody's, by accident.
func NewTool(def Definition, schema Schema) (*Tool, error) {
	if err := def.check(); err != nil {
		return nil, fmt.Errorf("define tool %q: %w", def.Name, err)
	}
	if schema == nil {
		return nil, fmt.Errorf("define tool %q: no compiled schema: pass one that accepts any object where the tool has none", def.Name)
	}
	def = def.clone()
	b, err := json.Marshal(def)
	if err != nil {
		return nil, fmt.Errorf("define tool %q: %w", def.Name, err)
	}
	sum := sha256.Sum256(b)
	return &Tool{def: def, hash: hex.EncodeToString(sum[:]), schema: schema, roles: slices.Sorted(maps.Keys(def.Roles))}, nil
}

func (d *Definition) check() error {
	switch {
	case d.Name == "" || d.Server == "":
		return fmt.Errorf("name and server are needed")
	case d.Safety != ReadOnly && d.Safety != Destructive:
		return errUnknownWord("safety", "read-only, destructive")
	case d.Risk != LowRisk && d.Risk != MediumRisk && d.Risk != HighRisk:
		return errUnknownWord("risk", "low, medium, high")
	case d.Confirmation != ConfirmByRisk && d.Confirmation != ConfirmAlways && d.Confirmation != ConfirmNever:
		return errUnknownWord("confirmation", "risk, always, never")
	case d.Execution != Parallel && d.Execution != Sequential:
		return errUnknownWord("execution", "parallel, sequential")
	case d.Risk != LowRisk && d.Permission == "":
		return fmt.Errorf("risk %q needs a permission: name one", d.Risk)
	}
	return d.checkReconcile()
}

func (d Definition) clone() Definition {
	d.InputSchema = slices.Clone(d.InputSchema)
	d.OutputSchema = slices.Clone(d.OutputSchema)
	d.Annotations = slices.Clone(d.Annotations)
	d.Groups = slices.Clone(d.Groups)
	d.Roles = cloneRoles(d.Roles)
	d.Sensitive = slices.Clone(d.Sensitive)
	d.Idempotency.Key = slices.Clone(d.Idempotency.Key)
	d.Reconcile = d.Reconcile.clone()
	d.Guidance = maps.Clone(d.Guidance)
	return d
}

// Definition returns a copy that the caller may change.
func (t *Tool) Definition() Definition { return t.def.clone() }

// Name returns the full name, "server/tool".
func (t *Tool) Name() string { return t.def.Name }

// Server returns the upstream that runs the tool.
func (t *Tool) Server() string { return t.def.Server }

// Hash identifies the whole definition; any change in it is another hash.
func (t *Tool) Hash() string { return t.hash }

// Safety returns read-only or destructive.
func (t *Tool) Safety() Safety { return t.def.Safety }

// Risk returns the tool's risk.
func (t *Tool) Risk() Risk { return t.def.Risk }

// Permission returns the permission a caller needs, or "".
func (t *Tool) Permission() string { return t.def.Permission }

// Roles returns what arguments mean, by JSON pointer and in its order.
func (t *Tool) Roles() iter.Seq2[string, Role] {
	return func(yield func(string, Role) bool) {
		for _, at := range t.roles {
			if !yield(at, t.def.Roles[at]) {
				return
			}
		}
	}
}

// Place returns where the tool works.
func (t *Tool) Place() Place { return t.def.Place }

// Sensitive returns the JSON pointers of arguments that are never shown.
func (t *Tool) Sensitive() []string { return slices.Clone(t.def.Sensitive) }

// Timeout returns how long a call may take, or the given default.
func (t *Tool) Timeout(otherwise time.Duration) time.Duration {
	if t.def.Timeout > 0 {
		return t.def.Timeout
	}
	return otherwise
}

// Schema returns the compiled input schema.
func (t *Tool) Schema() Schema { return t.schema }

// asks reports whether the definition itself demands a human.
func (t *Tool) asks() bool {
	return t.def.Confirmation == ConfirmAlways || t.def.Confirmation == ConfirmByRisk && t.def.Risk == HighRisk
}
