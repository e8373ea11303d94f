// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolverdict/toolverdict/guard"
)

// reading and fetching are what is decided of a request: not what belongs to it
// alone, such as its progress token.
type (
	reading struct {
		URI       string         `json:"uri"`
		Arguments map[string]any `json:"arguments,omitempty"`
	}
	fetching struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments,omitempty"`
	}
)

// Resource has resources/read decided as the tool "SERVER/@resources/read".
func (f *Front) Resource(next server.ResourceHandlerFunc) server.ResourceHandlerFunc {
	return func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		out, err := act(ctx, f, "resources/read", reading{r.Params.URI, r.Params.Arguments}, func(ctx context.Context, in reading) (any, error) {
			r.Params.URI, r.Params.Arguments = in.URI, in.Arguments
			contents, err := next(ctx, r)
			return mcp.ReadResourceResult{Contents: contents}, err
		})
		if err != nil {
			return nil, err
		}
		res, err := mcp.ParseReadResourceResult(&out)
		if err != nil {
			return nil, errUnread
		}
		return res.Contents, nil
	}
}

// Prompt has prompts/get decided as the tool "SERVER/@prompts/get".
func (f *Front) Prompt(next server.PromptHandlerFunc) server.PromptHandlerFunc {
	return func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		out, err := act(ctx, f, "prompts/get", fetching{r.Params.Name, r.Params.Arguments}, func(ctx context.Context, in fetching) (any, error) {
			r.Params.Name, r.Params.Arguments = in.Name, in.Arguments
			return next(ctx, r)
		})
		if err != nil {
			return nil, err
		}
		res, err := mcp.ParseGetPromptResult(&out)
		if err != nil {
			return nil, errUnread
		}
		return res, nil
	}
}

var errUnread = errors.New("the answer cannot be shown")

// act runs a method with leave. A refusal is the request's error.
func act[In any](ctx context.Context, f *Front, method string, in In, next func(context.Context, In) (any, error)) (json.RawMessage, error) {
	g, err := f.guard(ctx)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(in)
	if err != nil {
		return nil, errors.New("the params cannot be read")
	}
	out, refused := guard.Do(ctx, g, guard.Call{Tool: "@" + method, Arguments: b}, func(ctx context.Context, decided []byte) (json.RawMessage, error) {
		var own In
		if err := json.Unmarshal(decided, &own); err != nil {
			return nil, fmt.Errorf("%w: the params cannot be read", guard.ErrNotRun)
		}
		out, err := next(ctx, own)
		if err != nil {
			return nil, err
		}
		return json.Marshal(out)
	})
	if refused != nil {
		return nil, errors.New(refused.Text())
	}
	return out, nil
}
