// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpsdk puts the tools of a server that is made with the official Go SDK
// of the Model Context Protocol behind a gate.
//
// It decides nothing. Requests that act, tools/call and those that are tools of
// the form "SERVER/@METHOD" to a gate, are run with leave only; those that change
// nothing and show only names pass. A method that it does not know acts.
package mcpsdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/seal"
)

// Config is what the middleware is made of.
type Config struct {
	// Guard is who calls, and the server's name. Where callers differ, make one
	// server for each, or set Caller.
	Guard guard.Guard

	// Caller makes the guard of one request, from what the transport
	// authenticated. An error refuses the request. Nil means Guard.
	Caller func(ctx context.Context, r mcp.Request) (guard.Guard, error)

	// Key seals the state of calls that wait for the client's input. Processes
	// that serve one another's clients need the same one; it must have 32 bytes.
	Key []byte
}

// Refused is the JSON-RPC code of a request other than tools/call that was not
// let through.
const Refused = -32001

// Middleware guards a server's tools and methods. Add it first, right after
// mcp.NewServer: what is added later then stands before it, and nothing can
// change a call between the decision and the tool.
//
//	server.AddReceivingMiddleware(middleware)
func Middleware(c Config) (mcp.Middleware, error) {
	if err := seal.CheckKey(c.Key); err != nil {
		return nil, fmt.Errorf("guard MCP server: %w", err)
	}
	if c.Guard.Server == "" && c.Caller == nil {
		return nil, errors.New("guard MCP server: Guard.Server must name the server, as the catalog does")
	}
	m := &middleware{c}
	return m.wrap, nil
}

type middleware struct{ Config }

func (m *middleware) wrap(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if passes(method) {
			return next(ctx, method, r)
		}
		g := m.Guard
		if m.Caller != nil {
			var err error
			if g, err = m.Caller(ctx, r); err != nil {
				return nil, &jsonrpc.Error{Code: Refused, Message: "The caller is not known."}
			}
		}
		switch r := r.(type) {
		case *mcp.CallToolRequest:
			return m.call(ctx, g, r, func(ctx context.Context, r *mcp.CallToolRequest) (mcp.Result, error) {
				// The SDK carries the arguments of typed tools through float64.
				if err := guard.FitFloats(r.Params.Arguments); err != nil {
					return nil, err
				}
				return next(ctx, method, r)
			})
		case *mcp.ListToolsRequest:
			res, err := next(ctx, method, r)
			return shown(ctx, g, res), err
		}
		return act(ctx, g, method, r, next)
	}
}

// passes says of a method that it changes nothing and shows only names.
func passes(method string) bool {
	return strings.HasPrefix(method, "notifications/") || slices.Contains([]string{
		"initialize", "ping", "server/discover", "prompts/list", "resources/list", "resources/templates/list", "resources/unsubscribe",
	}, method)
}

// shown leaves out what the caller cannot call.
func shown(ctx context.Context, g guard.Guard, res mcp.Result) mcp.Result {
	list, ok := res.(*mcp.ListToolsResult)
	if !ok || list == nil {
		return res
	}
	is := g.Shown(ctx)
	out := *list
	out.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *mcp.Tool) bool { return !is(t.Name) })
	return &out
}

type handler = func(ctx context.Context, r *mcp.CallToolRequest) (mcp.Result, error)

// errResult says that the tool answered with isError.
var errResult = errors.New("the tool reported an error")

// call runs one tool with leave. What it answers is a result of the protocol
// whatever happens, so that the model reads it.
func (m *middleware) call(ctx context.Context, g guard.Guard, r *mcp.CallToolRequest, next handler) (mcp.Result, error) {
	if r.Params == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "There are no params."}
	}
	sealed := seal.Seal{Key: m.Key, Session: g.Session, Tool: r.Params.Name}
	continues, state, err := sealed.Open(r.Params.RequestState)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "The requestState is not one of this server's."}
	}
	c := guard.Call{Tool: r.Params.Name, Arguments: r.Params.Arguments, Continues: continues}
	var failed *mcp.CallToolResult
	var fault *jsonrpc.Error
	out, refused := guard.Do(ctx, g, c, func(ctx context.Context, arguments []byte) (*mcp.CallToolResult, error) {
		params, own := *r.Params, *r
		params.Arguments, params.RequestState, own.Params = arguments, state, &params
		res, err := next(ctx, &own)
		if err != nil {
			errors.As(err, &fault)
			return nil, err
		}
		answer, ok := res.(*mcp.CallToolResult)
		switch {
		case !ok || answer == nil:
			return nil, fmt.Errorf("the server answered with a %T", res)
		case answer.InputRequests != nil:
			return answer, guard.ErrPaused
		case answer.IsError:
			failed = answer
			return answer, fmt.Errorf("%w: %s", errResult, text(answer))
		}
		return answer, nil
	})
	switch {
	case refused == nil:
		return out, nil
	case refused.Paused:
		out.RequestState = sealed.Close(refused.Resume, out.RequestState)
		return out, nil
	case fault != nil && failed == nil && refused.Unwrap() != nil: // the protocol's own error, such as of a tool that is gone
		return nil, &jsonrpc.Error{Code: fault.Code, Message: refused.Message()}
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: refused.Text()}}}, nil
}

// text is what a result says, for the record and the model.
func text(r *mcp.CallToolResult) string {
	var all []string
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			all = append(all, t.Text)
		}
	}
	return strings.Join(all, "\n")
}

// act decides any other method as a tool of its name.
func act(ctx context.Context, g guard.Guard, method string, r mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	params, err := decidable(r.GetParams())
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "The params cannot be read."}
	}
	var res mcp.Result
	var fault *jsonrpc.Error
	out, refused := guard.Do(ctx, g, guard.Call{Tool: "@" + method, Arguments: params}, func(ctx context.Context, decided []byte) (json.RawMessage, error) {
		own, err := with(r, decided)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", guard.ErrNotRun, err)
		}
		if res, err = next(ctx, method, own); err != nil {
			errors.As(err, &fault)
			return nil, err
		}
		return json.Marshal(res)
	})
	switch {
	case fault != nil && refused != nil: // the protocol's own error. Its words may hold secrets: the gate's, which hide them, stand in their place
		return nil, &jsonrpc.Error{Code: fault.Code, Message: refused.Message()}
	case refused != nil:
		return nil, &jsonrpc.Error{Code: Refused, Message: refused.Error(), Data: json.RawMessage(refused.Text())}
	case res == nil: // an answer of an earlier run
		return nil, &jsonrpc.Error{Code: Refused, Message: "This request was answered before."}
	}
	hidden := reflect.New(reflect.TypeOf(res).Elem())
	if err := json.Unmarshal(out, hidden.Interface()); err != nil {
		return nil, &jsonrpc.Error{Code: Refused, Message: "The answer cannot be shown."}
	}
	shown, _ := reflect.TypeAssert[mcp.Result](hidden)
	return shown, nil
}

// decidable are the params without what belongs to one request alone, such as its
// progress token: a repeat is the same call.
func decidable(p mcp.Params) ([]byte, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return nil, err
	}
	delete(members, "_meta")
	return json.Marshal(members)
}

// with is the request with the params that were decided in the place of its own.
func with(r mcp.Request, params []byte) (mcp.Request, error) {
	own := reflect.New(reflect.TypeOf(r).Elem())
	own.Elem().Set(reflect.ValueOf(r).Elem())
	at := own.Elem().FieldByName("Params")
	if !at.IsValid() || at.Kind() != reflect.Pointer {
		return nil, errors.New("the request has no params")
	}
	fresh := reflect.New(at.Type().Elem())
	if err := json.Unmarshal(params, fresh.Interface()); err != nil {
		return nil, errors.New("the params cannot be read")
	}
	if p, ok := reflect.TypeAssert[mcp.Params](fresh); ok && r.GetParams().GetMeta() != nil {
		p.SetMeta(r.GetParams().GetMeta())
	}
	at.Set(fresh)
	out, ok := reflect.TypeAssert[mcp.Request](own)
	if !ok {
		return nil, errors.New("the request is none")
	}
	return out, nil
}

// Tool guards one tool itself, as the last layer before it runs: whatever
// middleware a server has, this is behind it. Use it where others add middleware
// to the server, and not together with [Middleware], which would ask twice. Tools
// that go on after input from the client need the middleware.
func Tool(g guard.Guard, h mcp.ToolHandler) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		m := &middleware{} // it has no key: a state that claims to be sealed is refused
		res, err := m.call(ctx, g, r, func(ctx context.Context, r *mcp.CallToolRequest) (mcp.Result, error) {
			out, err := h(ctx, r)
			if err == nil && out != nil && out.InputRequests != nil {
				return nil, errors.New("this tool needs the middleware: it asks for input")
			}
			return out, err
		})
		out, _ := res.(*mcp.CallToolResult)
		return out, err
	}
}
