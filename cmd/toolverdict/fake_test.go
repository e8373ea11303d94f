// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite"
)

// fakeServer is an MCP server over stdio whose tools stand in a file:
// fakeserver FILE. The file is a list of {name, description, inputSchema}; every
// tool answers with its name and its arguments.
func fakeServer() {
	b, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var tools []*mcp.Tool
	if err := json.Unmarshal(b, &tools); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "fake", Version: "1"}, nil)
	for _, tool := range tools {
		if tool.InputSchema == nil {
			tool.InputSchema = json.RawMessage(`{"type":"object"}`)
		}
		s.AddTool(tool, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text := tool.Name + " " + string(r.Params.Arguments)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		})
	}
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

// sqlStatement changes a store behind the gate's back, as somebody with the
// file in hand could: sql DATA STATEMENT….
func sqlStatement(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: sql DATA STATEMENT…")
	}
	db, err := sql.Open("sqlite", filepath.Join(ts.MkAbs(args[0]), "toolverdict.db"))
	ts.Check(err)
	defer db.Close()
	for _, statement := range args[1:] {
		_, err := db.ExecContext(context.Background(), statement)
		ts.Check(err)
	}
}
