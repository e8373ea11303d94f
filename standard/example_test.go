// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package standard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/standard"
)

// A program of fifteen lines: its function runs only as the policy says.
func Example() {
	ctx, folder := context.Background(), exampleFolder()
	defer os.RemoveAll(folder)
	gate, err := standard.Open(ctx, folder, map[string]standard.Func{
		"shop/refund": func(_ context.Context, arguments []byte) (json.RawMessage, error) {
			return json.RawMessage(`"refunded"`), nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	agent := toolverdict.Subject{ID: "agent", Kind: toolverdict.Agent, User: "ann"}
	small, _ := gate.Call(ctx, agent, "shop/refund", []byte(`{"euros": 20}`))
	fmt.Println(small.Success, string(small.Content))
	large, _ := gate.Call(ctx, agent, "shop/refund", []byte(`{"euros": 2000}`))
	fmt.Println(large.Success, large.Error.Code, large.Error.Message)
	// Output:
	// true "refunded"
	// false POLICY_DENIED Rule "deny-large" denies this call: Large refunds are paid by people.
}

// exampleFolder writes the folder of the example.
func exampleFolder() string {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	for name, text := range map[string]string{
		"catalog.yaml": `
tools:
  shop/refund:
    safety: destructive
    risk: low
    schema: {type: object, properties: {euros: {type: integer}}, required: [euros], additionalProperties: false}
`,
		"policy.yaml": `
policy: shop
version: v1
default: deny
rules:
  - {id: allow-refund, verdict: allow, reason: Refunds are support's work, tools: shop/refund}
  - {id: deny-large, verdict: deny, reason: Large refunds are paid by people, tools: shop/refund, when: {args.euros: {gt: 100}}}
`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	return folder
}
