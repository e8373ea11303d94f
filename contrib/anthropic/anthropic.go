// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package anthropic puts the tools of the Anthropic Go SDK's tool runners behind a
// gate. A tool is wrapped itself, so that every runner that is given it goes
// through the gate.
//
// Tools that Anthropic runs on its own servers never come here: nothing can be
// decided about them.
package anthropic

import (
	"context"
	"encoding/json"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/toolverdict/toolverdict/guard"
)

// Tools wraps each of several tools.
func Tools(g guard.Guard, tools ...sdk.BetaTool) []sdk.BetaTool {
	out := make([]sdk.BetaTool, len(tools))
	for i, t := range tools {
		out[i] = Tool(g, t)
	}
	return out
}

// Tool runs a tool with leave of the gate only. A refusal is its error, which a
// runner hands to the model as a result with is_error; *[guard.Refused] is found
// in it.
func Tool(g guard.Guard, t sdk.BetaTool) sdk.BetaTool { return tool{t, g} }

type tool struct {
	sdk.BetaTool

	guard guard.Guard
}

type blocks = []sdk.BetaToolResultBlockParamContentUnion

// Execute implements [sdk.BetaTool].
func (t tool) Execute(ctx context.Context, input json.RawMessage) (blocks, error) {
	c := guard.Call{Tool: t.Name(), Arguments: input}
	out, refused := guard.Do(ctx, t.guard, c, func(ctx context.Context, decided []byte) (blocks, error) {
		return t.BetaTool.Execute(ctx, decided)
	})
	if refused != nil {
		return nil, told{refused}
	}
	return out, nil
}

// told is a refusal in the words for the model: runners show it the error's text.
type told struct{ *guard.Refused }

// Error implements error.
func (t told) Error() string { return t.Text() }

// Unwrap returns the refusal.
func (t told) Unwrap() error { return t.Refused }
