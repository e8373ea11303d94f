// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpgo puts the tools of a server that is made with mark3labs/mcp-go
// behind a gate.
//
// That library runs task tools without any middleware. Here a tool that can run
// as a task is neither listed nor callable until it was added through a [Front],
// which guards its handler.
package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/seal"
)

// Config is what a front is made of.
type Config struct {
	// Guard is who calls, and the server's name.
	Guard guard.Guard

	// Caller makes the guard of one request, from what the transport put into its
	// context. An error refuses the request. Nil means Guard.
	Caller func(ctx context.Context) (guard.Guard, error)

	// Key seals the state of calls that wait for the client's input. Processes
	// that serve one another's clients need the same one; it must have 32 bytes.
	Key []byte
}

// Front guards one server. It is safe for concurrent use.
type Front struct {
	c Config

	mu    sync.Mutex
	tasks map[string]bool // tools that can run as tasks and are guarded all the same
}

// New checks the parts.
func New(c Config) (*Front, error) {
	if err := seal.CheckKey(c.Key); err != nil {
		return nil, fmt.Errorf("guard MCP server: %w", err)
	}
	if c.Guard.Server == "" && c.Caller == nil {
		return nil, errors.New("guard MCP server: Guard.Server must name the server, as the catalog does")
	}
	return &Front{c: c, tasks: map[string]bool{}}, nil
}

// Options guard tools, resources and prompts. Give them to NewMCPServer as the
// last ones, and add no middleware later: what is added after them stands between
// the decision and the tool.
func (f *Front) Options() []server.ServerOption {
	return []server.ServerOption{
		server.WithToolHandlerMiddleware(f.Tool),
		server.WithToolFilter(f.Filter),
		server.WithResourceHandlerMiddleware(f.Resource),
		server.WithPromptHandlerMiddleware(f.Prompt),
	}
}

// AddTask adds a task tool whose handler is guarded.
func (f *Front) AddTask(s *server.MCPServer, t mcp.Tool, h server.TaskToolHandlerFunc) {
	f.knows(t.Name)
	s.AddTaskTool(t, f.task(h))
}

// AddTool adds a tool that runs as a task too where the client wants it, which the
// library does with middleware. Other tools are added to the server as ever.
func (f *Front) AddTool(s *server.MCPServer, t mcp.Tool, h server.ToolHandlerFunc) {
	f.knows(t.Name)
	s.AddTool(t, h)
}

func (f *Front) knows(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tasks[name] = true
}

// Filter leaves out tools that could run unguarded, and, in a list, those that
// the caller cannot call.
func (f *Front) Filter(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	shown := func(string) bool { return true }
	if len(tools) > 1 { // one alone is one that is called: then the gate itself answers
		g, err := f.guard(ctx)
		if err != nil {
			return nil
		}
		shown = g.Shown(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(tools), func(t mcp.Tool) bool {
		tasks := t.Execution != nil && t.Execution.TaskSupport != "" && t.Execution.TaskSupport != mcp.TaskSupportForbidden
		return tasks && !f.tasks[t.Name] || !shown(t.Name)
	})
}

func (f *Front) guard(ctx context.Context) (guard.Guard, error) {
	if f.c.Caller == nil {
		return f.c.Guard, nil
	}
	g, err := f.c.Caller(ctx)
	if err != nil {
		return g, errors.New("the caller is not known")
	}
	return g, nil
}

// errResult says that the tool answered with isError.
var errResult = errors.New("the tool reported an error")

// Tool guards a tool's handler.
func (f *Front) Tool(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		g, err := f.guard(ctx)
		if err != nil {
			return nil, err
		}
		s := seal.Seal{Key: f.c.Key, Session: g.Session, Tool: r.Params.Name}
		continues, state, err := s.Open(r.Params.RequestState)
		if err != nil {
			return nil, errors.New("the requestState is not one of this server's")
		}
		out, refused := call(ctx, g, r, continues, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			r.Params.RequestState = state
			return next(ctx, r)
		})
		switch {
		case refused == nil:
			return out, nil
		case refused.Paused:
			out.RequestState = s.Close(refused.Resume, out.RequestState)
			return out, nil
		}
		return mcp.NewToolResultError(refused.Text()), nil
	}
}

// task guards the handler of a task tool. What it answers is what the task holds.
func (f *Front) task(next server.TaskToolHandlerFunc) server.TaskToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
		g, err := f.guard(ctx)
		if err != nil {
			return nil, err
		}
		var task mcp.Task
		out, refused := call(ctx, g, r, "", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res, err := next(ctx, r)
			if err != nil || res == nil {
				return nil, err
			}
			task = res.Task
			return &mcp.CallToolResult{Result: res.Result, Content: res.Content, StructuredContent: res.StructuredContent, IsError: res.IsError}, nil
		})
		if refused != nil {
			out = mcp.NewToolResultError(refused.Text())
		}
		return &mcp.CreateTaskResult{Result: out.Result, Task: task, Content: out.Content, StructuredContent: out.StructuredContent, IsError: out.IsError}, nil
	}
}

// call runs one tool with leave, with the arguments that were decided in both
// places where a handler may read them.
func call(ctx context.Context, g guard.Guard, r mcp.CallToolRequest, continues string, next server.ToolHandlerFunc) (*mcp.CallToolResult, *guard.Refused) {
	if r.Params.Task != nil {
		// The library ends the context of a task with the request that started it: the
		// gate, and the tool, would be cut off at any moment. The tool's own timeout holds.
		ctx = context.WithoutCancel(ctx)
	}
	c := guard.Call{Tool: r.Params.Name, Arguments: arguments(&r.Params), Continues: continues}
	return guard.Do(ctx, g, c, func(ctx context.Context, decided []byte) (*mcp.CallToolResult, error) {
		own := r
		own.Params.RawArguments, own.Params.Arguments = decided, nil
		// Handlers that read the parsed form are given each number as float64.
		if err := guard.FitFloats(decided); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(decided, &own.Params.Arguments); err != nil {
			return nil, fmt.Errorf("%w: the arguments cannot be read", guard.ErrNotRun)
		}
		res, err := next(ctx, own)
		switch {
		case err != nil:
			return nil, err
		case res == nil:
			return nil, errors.New("the tool gave no answer")
		case res.ResultType == mcp.ResultTypeInputRequired:
			return res, guard.ErrPaused
		case res.IsError:
			return nil, fmt.Errorf("%w: %s", errResult, text(res))
		}
		return res, nil
	})
}

// arguments are the bytes that came, or what a caller in this process made. What
// cannot be written is refused as arguments, and not as if there were none.
func arguments(p *mcp.CallToolParams) []byte {
	if len(p.RawArguments) > 0 {
		return p.RawArguments
	}
	if p.Arguments == nil {
		return nil
	}
	b, err := json.Marshal(p.Arguments)
	if err != nil {
		return []byte("\x00")
	}
	return b
}

// text is what a result says, for the record and the model.
func text(r *mcp.CallToolResult) string {
	var all []string
	for _, c := range r.Content {
		if t, ok := c.(mcp.TextContent); ok {
			all = append(all, t.Text)
		}
	}
	return strings.Join(all, "\n")
}
