// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package genkit puts the tools of Genkit for Go behind a gate. A tool's function
// is wrapped where the tool is defined, so that there is no other way to it:
// Genkit finds tools by name, in one registry.
package genkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/firebase/genkit/go/ai"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/guard"
)

// Config is what tools are guarded with.
type Config struct {
	Guard guard.Guard

	// Pause interrupts the generation while a call waits for a person, after
	// Guard.Wait. What it waits for is read with [Waiting]. When the tool is
	// restarted the gate is asked again: nothing in the restart is a yes. False
	// tells the model that a person must agree.
	Pause bool
}

// Func guards the function of a tool of that name. Its output is the tool's, or the
// gate's refusal, which the model reads: an error would end the generation.
func Func[In, Out any](c Config, name string, fn ai.ToolFunc[In, Out]) ai.ToolFunc[In, any] {
	return func(ctx *ai.ToolContext, in In) (any, error) {
		out, refused, err := run(ctx, c, name, in, fn)
		if refused != nil {
			return refused, err
		}
		return out, err
	}
}

// Multipart guards the function of a tool that answers in parts.
func Multipart[In any](c Config, name string, fn ai.MultipartToolFunc[In]) ai.MultipartToolFunc[In] {
	return func(ctx *ai.ToolContext, in In) (*ai.MultipartToolResponse, error) {
		out, refused, err := run(ctx, c, name, in, fn)
		if refused != nil {
			return &ai.MultipartToolResponse{Output: refused}, err
		}
		return out, err
	}
}

// Waiting returns what the interrupt of a tool request waits for.
func Waiting(p *ai.Part) (tv.ConfirmationInfo, bool) {
	out, ok := ai.InterruptAs[held](p)
	return out.Waits, ok && out.Waits.ID != ""
}

// held is the metadata of an interrupt.
type held struct {
	Waits tv.ConfirmationInfo `json:"toolverdict"`
}

// run runs a function with leave. A refusal is JSON for the model; an error is for
// Genkit.
func run[In, Out any](ctx *ai.ToolContext, c Config, name string, in In, fn func(*ai.ToolContext, In) (Out, error)) (out Out, refusal map[string]any, err error) {
	arguments, err := json.Marshal(in)
	if err != nil { // refused as what it is, and not as a call without arguments
		arguments = []byte("\x00")
	}
	out, refused := guard.Do(ctx, c.Guard, guard.Call{Tool: name, Arguments: arguments}, func(inner context.Context, decided []byte) (Out, error) {
		var own In
		var none Out
		if err := json.Unmarshal(decided, &own); err != nil {
			return none, errors.New("the arguments do not fit the function")
		}
		tool := *ctx
		tool.Context = inner
		out, err := fn(&tool, own)
		if interrupts, _ := ai.IsToolInterruptError(err); interrupts {
			return none, fmt.Errorf("%w: %w", guard.ErrPaused, err)
		}
		return out, err
	})
	if refused == nil {
		return out, nil, nil
	}
	if refused.Paused {
		return out, nil, refused.Unwrap() // the tool's own interrupt
	}
	if info, waits := refused.Waiting(); waits && c.Pause {
		return out, nil, ai.InterruptWith(ctx, held{*info})
	}
	refusal = map[string]any{"success": false}
	_ = json.Unmarshal([]byte(refused.Text()), &refusal) // it is an object
	return out, refusal, nil
}
