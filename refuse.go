// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// What refuses a call before the rules are asked stands here once: the pipeline
// takes it, and so do the tools that tell a policy's writer what it would say.
// Each returns nil where it has nothing against the call.

// RefuseBytes reads arguments strictly.
func RefuseBytes(arguments []byte, limits canon.Limits) (Value, *Refusal) {
	v, err := canon.ParseArguments(arguments, limits)
	if err != nil {
		return v, malformed(err)
	}
	return v, nil
}

// malformed says once what is wrong and where: counted in the arguments as they
// came, which for a body that is no JSON is the whole body.
func malformed(err error) *Refusal {
	r := refusal(MalformedCall, "The arguments are not acceptable JSON: "+strings.TrimPrefix(err.Error(), "parse JSON: ")+".")
	if syntax, ok := errors.AsType[*canon.SyntaxError](err); ok && syntax.Path != "" {
		r.Details = []FieldError{{Path: syntax.Path, Message: string(syntax.Reason)}}
	}
	return r
}

// RefuseName refuses a call of a tool that there is not.
func RefuseName() *Refusal { return refusal(UnknownTool, "There is no such tool.") }

// RefuseRun applies the run: what the user switched off, and read-only.
func RefuseRun(t *Tool, run Run, off []string) *Refusal {
	name := t.Name()
	switch {
	case slices.Contains(off, name) || slices.Contains(run.Disabled, name):
		return refusal(ToolNotAllowed, "The user switched this tool off.")
	case run.ReadOnly && t.Safety() != ReadOnly:
		return refusal(ToolNotAllowed, "This run is read-only and the tool is destructive.")
	}
	return nil
}

// maxFieldErrors bounds how many field errors an agent is told at once.
const maxFieldErrors = 5

// RefuseArguments checks arguments against a tool's schema.
func RefuseArguments(t *Tool, arguments Value) *Refusal {
	schema := t.Schema()
	if clash, found := schema.Clash(arguments); found {
		r := refusal(MalformedCall, "A field name is spelt so that two programs could read it differently: "+clash.Path+": "+clash.Message)
		r.Details = []FieldError{clash}
		return r
	}
	errs := schema.Validate(arguments)
	if len(errs) == 0 {
		return nil
	}
	errs = errs[:min(len(errs), maxFieldErrors)]
	parts := make([]string, len(errs))
	for i, e := range errs {
		parts[i] = e.Path + ": " + e.Message
	}
	r := refusal(InvalidInput, "The tool input is invalid: "+strings.Join(parts, "; "))
	r.Details = errs
	return r
}

// RefuseEffects holds a tool that is declared read-only to its word, whatever the
// rules say. Fit makes the pointer to an argument fit to be told.
func RefuseEffects(t *Tool, effects []Effect, fit func(string) string) *Refusal {
	if t.Safety() != ReadOnly {
		return nil
	}
	for i := range effects {
		if e := &effects[i]; !t.MayDo(e) {
			return refusal(PolicyDenied, fmt.Sprintf(
				"The tool is declared read-only, and with the argument %s this call would do more than read (%s).", fit(e.Source), e.Kind))
		}
	}
	return nil
}

// Guided replaces what a refusal recommends by what the tool itself says.
func (t *Tool) Guided(r *Refusal) {
	if own, ok := t.def.Guidance[r.Code]; ok {
		r.RecommendedAction = own
	}
}
