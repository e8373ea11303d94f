// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package openai answers the tool calls of the OpenAI Go SDK with leave of a gate,
// for Chat Completions and for Responses. The SDK has no loop of its own: this is
// the step of yours that runs tools.
package openai

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/loop"
	"github.com/toolverdict/toolverdict/wire"
)

// Tools run calls, by the names that the model has. See [loop.Tool].
type Tools map[string]loop.Tool

// Chat runs the tool calls of a message and returns the messages that answer them,
// one for each call, in their order. The message must be one that the API gave: the
// bytes that came are what is decided. Turn names it, such as by its number.
func Chat(ctx context.Context, g guard.Guard, m *sdk.ChatCompletionMessage, turn string, tools Tools) ([]sdk.ChatCompletionMessageParamUnion, error) {
	var out []sdk.ChatCompletionMessageParamUnion
	err := answer(ctx, loop.Loop{Guard: g, Shape: wire.OpenAIChat, Tools: tools}, m.RawJSON(), turn, &out)
	return out, err
}

// Response runs the tool calls of a response and returns the items that answer
// them. Calls that OpenAI ran itself are recorded as such, and requests to approve
// a call of a remote server are answered with no.
func Response(ctx context.Context, g guard.Guard, r *responses.Response, turn string, tools Tools) (responses.ResponseInputParam, error) {
	var out responses.ResponseInputParam
	err := answer(ctx, loop.Loop{Guard: g, Shape: wire.OpenAIResponses, Tools: tools}, r.RawJSON(), turn, &out)
	return out, err
}

func answer(ctx context.Context, l loop.Loop, message, turn string, into any) error {
	b, err := l.Answer(ctx, []byte(message), turn)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil { // what ran is in the ledger: made again, the calls are answered from it
		return fmt.Errorf("answer calls: the SDK does not know a form of answer: %w", err)
	}
	return nil
}
