// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Command sdk is an MCP server on the official Go SDK, for the differential tests. It writes down
// every call that it really runs.
//
// Usage: sdk -log FILE [-http ADDR [-stateless]]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type input struct {
	Message string `json:"message" jsonschema:"the message to say back"`
}

func main() {
	httpAddr := flag.String("http", "", "serve Streamable HTTP at this address instead of stdio")
	stateless := flag.Bool("stateless", false, "serve the stateless revision over HTTP")
	logPath := flag.String("log", "", "append a JSON line here for every call that runs")
	flag.Parse()

	effects, err := os.OpenFile(*logPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatalf("open the log of calls (-log FILE): %v", err)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk-differential", Version: "1.0.0"}, nil)
	for _, name := range []string{"echo", "erase"} {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Says the message back and writes it down"}, record(effects, name))
	}
	if *httpAddr == "" {
		if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			log.Fatalf("serve stdio: %v", err)
		}
		return
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: *stateless})
	web := &http.Server{Addr: *httpAddr, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(web.ListenAndServe())
}

// record returns a handler that appends what it understood to the log before it answers.
func record(effects *os.File, tool string) mcp.ToolHandlerFor[input, any] {
	return func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		line, err := json.Marshal(map[string]string{"tool": tool, "message": in.Message})
		if err != nil {
			return nil, nil, err
		}
		if _, err := effects.Write(append(line, '\n')); err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: tool + ": " + in.Message}}}, nil, nil
	}
}
