// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package eino puts the tools of CloudWeGo Eino behind a gate.
//
// Eino has four kinds of tools, and middleware for one kind does not see the
// others: what this package makes covers all four. A refusal is the tool's
// answer, which the model reads; with Pause, a call that waits for a person
// interrupts the graph instead.
package eino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/guard"
)

// Config is what the middleware is made of.
type Config struct {
	Guard guard.Guard

	// Pause interrupts the graph while a call waits for a person, after Guard.Wait.
	// The info of the interrupt is read with [Waiting]. When the graph is resumed
	// the gate is asked again: nothing in the resume data or the checkpoint is a
	// yes. False tells the model that a person must agree.
	Pause bool
}

// Middleware guards all four kinds of tools. Put it last in the list, where it is
// the innermost: nothing then stands between the decision and the tool.
func Middleware(c Config) compose.ToolMiddleware {
	return compose.ToolMiddleware{
		Invokable: func(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
			return func(ctx context.Context, in *compose.ToolInput) (*compose.ToolOutput, error) {
				out, err := run(ctx, c, in, text, func(ctx context.Context, in *compose.ToolInput) (string, error) {
					out, err := next(ctx, in)
					if err != nil || out == nil {
						return "", err
					}
					return out.Result, nil
				})
				return &compose.ToolOutput{Result: out}, err
			}
		},
		Streamable: func(next compose.StreamableToolEndpoint) compose.StreamableToolEndpoint {
			return func(ctx context.Context, in *compose.ToolInput) (*compose.StreamToolOutput, error) {
				out, err := run(ctx, c, in, text, func(ctx context.Context, in *compose.ToolInput) (string, error) {
					out, err := next(ctx, in)
					if err != nil || out == nil {
						return "", err
					}
					chunks, err := whole(ctx, out.Result)
					return strings.Join(chunks, ""), err
				})
				return &compose.StreamToolOutput{Result: schema.StreamReaderFromArray([]string{out})}, err
			}
		},
		EnhancedInvokable: func(next compose.EnhancedInvokableToolEndpoint) compose.EnhancedInvokableToolEndpoint {
			return func(ctx context.Context, in *compose.ToolInput) (*compose.EnhancedInvokableToolOutput, error) {
				out, err := run(ctx, c, in, part, func(ctx context.Context, in *compose.ToolInput) (*schema.ToolResult, error) {
					out, err := next(ctx, in)
					if err != nil || out == nil {
						return nil, err
					}
					return out.Result, nil
				})
				return &compose.EnhancedInvokableToolOutput{Result: out}, err
			}
		},
		EnhancedStreamable: func(next compose.EnhancedStreamableToolEndpoint) compose.EnhancedStreamableToolEndpoint {
			return func(ctx context.Context, in *compose.ToolInput) (*compose.EnhancedStreamableToolOutput, error) {
				out, err := run(ctx, c, in, part, func(ctx context.Context, in *compose.ToolInput) (*schema.ToolResult, error) {
					out, err := next(ctx, in)
					if err != nil || out == nil {
						return nil, err
					}
					chunks, err := whole(ctx, out.Result)
					if err != nil {
						return nil, err
					}
					return schema.ConcatToolResults(chunks)
				})
				return &compose.EnhancedStreamableToolOutput{Result: schema.StreamReaderFromArray([]*schema.ToolResult{out})}, err
			}
		},
	}
}

// Unknown answers for tools that the model made up, as UnknownToolsHandler: the
// gate refuses and records them.
func Unknown(g guard.Guard) func(ctx context.Context, name, input string) (string, error) {
	return func(ctx context.Context, name, input string) (string, error) {
		_, refused := guard.Do(ctx, g, guard.Call{Tool: name, Arguments: []byte(input)}, func(context.Context, []byte) (string, error) {
			return "", errors.New("there is no such tool here")
		})
		if refused == nil { // it was run before, by another door; here it cannot be
			return "There is no such tool.", nil
		}
		return refused.Text(), nil
	}
}

// Waiting returns what an interrupt of this package waits for.
func Waiting(info any) (tv.ConfirmationInfo, bool) {
	var out tv.ConfirmationInfo
	s, _ := info.(string)
	body, ours := strings.CutPrefix(s, infoMark)
	if !ours || json.Unmarshal([]byte(body), &out) != nil {
		return tv.ConfirmationInfo{}, false
	}
	return out, true
}

const (
	infoMark  = "toolverdict waits: "
	stateMark = "toolverdict state: "
)

// kept is what a call has in the checkpoint. Nothing in it is a yes: the gate
// holds it to the caller and the exact call.
type kept struct {
	Confirmation string `json:"confirmation,omitempty"`
	Continues    string `json:"continues,omitempty"`
}

func (k kept) String() string {
	b, _ := json.Marshal(k)
	return stateMark + string(b)
}

func recall(ctx context.Context) (k kept) {
	_, has, s := tool.GetInterruptState[string](ctx)
	if body, ours := strings.CutPrefix(s, stateMark); has && ours {
		_ = json.Unmarshal([]byte(body), &k) // what cannot be read was kept by nobody: the call is decided anew
	}
	return k
}

// run runs one tool of any kind with leave.
func run[T any](ctx context.Context, c Config, in *compose.ToolInput, says func(string) T, next func(context.Context, *compose.ToolInput) (T, error)) (T, error) {
	var none T
	k := recall(ctx)
	call := guard.Call{ID: in.CallID, Tool: in.Name, Arguments: []byte(in.Arguments), Confirmation: k.Confirmation, Continues: k.Continues}
	out, refused := guard.Do(ctx, c.Guard, call, func(ctx context.Context, decided []byte) (T, error) {
		own := *in
		own.Arguments = string(decided)
		// What the tool keeps at its own interrupts is not what is kept here.
		ctx = compose.AppendAddressSegment(ctx, compose.AddressSegmentTool, "guarded")
		out, err := next(ctx, &own)
		if _, interrupts := compose.IsInterruptRerunError(err); interrupts {
			return none, fmt.Errorf("%w: %w", guard.ErrPaused, err)
		}
		return out, err
	})
	if refused == nil {
		return out, nil
	}
	if refused.Paused {
		signal, _ := errors.Unwrap(refused).(interface{ Unwrap() []error })
		return none, tool.CompositeInterrupt(ctx, nil, kept{Continues: refused.Resume}.String(), signal.Unwrap()[1])
	}
	if info, waits := refused.Waiting(); waits && c.Pause {
		b, _ := json.Marshal(info) // what came as JSON goes as JSON
		return none, tool.StatefulInterrupt(ctx, infoMark+string(b), kept{Confirmation: info.ID}.String())
	}
	return says(refused.Text()), nil
}

func text(s string) string { return s }

func part(s string) *schema.ToolResult {
	return &schema.ToolResult{Parts: []schema.ToolOutputPart{{Type: schema.ToolPartTypeText, Text: s}}}
}

// whole reads a stream to its end. Its answer goes on in one piece: secrets are
// hidden in the whole, and what came of a call is known at its end only.
func whole[T any](ctx context.Context, s *schema.StreamReader[T]) ([]T, error) {
	if s == nil {
		return nil, errors.New("the tool gave no stream")
	}
	defer s.Close()
	var all []T
	for {
		chunk, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		all = append(all, chunk)
	}
}
