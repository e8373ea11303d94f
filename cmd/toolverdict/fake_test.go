// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

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

// talk speaks to an MCP server over stdio as a client does: the lines of a file,
// each request answered before the next is sent: talk FILE COMMAND ARGS….
func talk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: talk FILE COMMAND ARGS…")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	cmd := exec.CommandContext(ctx, path, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Stderr = ts.Stderr()
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	answers := bufio.NewReader(out)
	for row := range strings.Lines(ts.ReadFile(args[0])) {
		_, err := io.WriteString(in, row)
		ts.Check(err)
		var asked, got struct{ ID json.Number }
		ts.Check(json.Unmarshal([]byte(row), &asked))
		for asked.ID != "" && got.ID != asked.ID {
			answer, err := answers.ReadString('\n')
			fmt.Fprint(ts.Stdout(), answer)
			ts.Check(err)
			ts.Check(json.Unmarshal([]byte(answer), &got))
		}
	}
	ts.Check(in.Close())
	_, err = io.Copy(ts.Stdout(), answers)
	ts.Check(err)
	ts.Check(cmd.Wait())
}

// post sends a file to the gate that ready found and prints the answer:
// post STATUS PATH FILE [HEADER=VALUE…].
func post(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: post STATUS PATH FILE [HEADER=VALUE…]")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, ts.Getenv("URL")+args[1], strings.NewReader(ts.ReadFile(args[2])))
	ts.Check(err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range args[3:] {
		name, value, _ := strings.Cut(h, "=")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	resp, err := tester.Do(r)
	ts.Check(err)
	defer resp.Body.Close()
	_, err = io.Copy(ts.Stdout(), resp.Body)
	ts.Check(err)
	if got := strconv.Itoa(resp.StatusCode); got != args[0] {
		ts.Fatalf("status %s, want %s", got, args[0])
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
