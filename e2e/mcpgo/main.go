// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Command mcpgo is an MCP server on the other big Go SDK, for the differential tests: its JSON
// decoder folds the case of keys and takes the last of two equal keys, so it understands messages
// differently from a careful reader. It writes down every call that it really runs.
//
// Usage: mcpgo -log FILE [-http ADDR]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	httpAddr := flag.String("http", "", "serve Streamable HTTP at this address instead of stdio")
	logPath := flag.String("log", "", "append a JSON line here for every call that runs")
	flag.Parse()

	effects, err := os.OpenFile(*logPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatalf("open the log of calls (-log FILE): %v", err)
	}
	s := server.NewMCPServer("mcpgo-differential", "1.0.0", server.WithToolCapabilities(true))
	for _, name := range []string{"echo", "erase"} {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription("Says the message back and writes it down"),
			mcp.WithString("message", mcp.Required())), record(effects, name))
	}
	if *httpAddr == "" {
		if err := server.ServeStdio(s); err != nil {
			log.Fatalf("serve stdio: %v", err)
		}
		return
	}
	web := &http.Server{Addr: *httpAddr, Handler: server.NewStreamableHTTPServer(s), ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(web.ListenAndServe())
}

// record returns a handler that binds its argument the way the SDK's documentation shows, into a
// struct, and appends what it understood to the log before it answers.
func record(effects *os.File, tool string) server.ToolHandlerFunc {
	return func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct {
			Message string `json:"message"`
		}
		if err := req.BindArguments(&in); err != nil {
			return nil, err
		}
		line, err := json.Marshal(map[string]string{"tool": tool, "message": in.Message})
		if err != nil {
			return nil, err
		}
		if _, err := effects.Write(append(line, '\n')); err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(tool + ": " + in.Message), nil
	}
}
