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
	"github.com/toolverdict/toolverdict/guard"
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
	small, _ := gate.Call(ctx, agent(), "shop/refund", []byte(`{"euros": 20}`))
	fmt.Println(small.Success, string(small.Content))
	large, _ := gate.Call(ctx, agent(), "shop/refund", []byte(`{"euros": 2000}`))
	fmt.Println(large.Success, large.Error.Code, large.Error.Message)
	// Output:
	// true "refunded"
	// false POLICY_DENIED Rule "deny-large" denies this call: Large refunds are paid by people.
}

// refund is a function of the program's own types.
type refund struct {
	Euros int `json:"euros"`
}

// A function of Go types is a tool: its arguments are those that were decided.
func ExampleTyped() {
	ctx, folder := context.Background(), exampleFolder()
	defer os.RemoveAll(folder)
	gate, err := standard.Open(ctx, folder, map[string]standard.Func{
		"shop/refund": standard.Typed(func(_ context.Context, r refund) (string, error) {
			return fmt.Sprintf("refunded %d", r.Euros), nil
		}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	res, _ := gate.Call(ctx, agent(), "shop/refund", []byte(`{"euros": 20}`))
	fmt.Println(string(res.Content))
	// Output:
	// "refunded 20"
}

// A guard runs any function with leave of the gate: this is what the adapters
// for frameworks do.
func ExampleGate_Guard() {
	ctx, folder := context.Background(), exampleFolder()
	defer os.RemoveAll(folder)
	gate, err := standard.OpenClaims(ctx, folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	shop := gate.Guard(agent(), "shop")
	for _, arguments := range []string{`{"euros": 20}`, `{"euros": 2000}`, `{"euros": 20, "euros": 2000}`} {
		call := guard.Call{ID: "call-1", Tool: "refund", Arguments: []byte(arguments)}
		answer, refused := guard.Do(ctx, shop, call, func(_ context.Context, decided []byte) (string, error) {
			return "refunded " + string(decided), nil
		})
		if refused != nil {
			fmt.Println(refused.Code()) // the model is told refused.Text()
			continue
		}
		fmt.Println(answer)
	}
	// Output:
	// refunded {"euros": 20}
	// POLICY_DENIED
	// MALFORMED_CALL
}

// Advise says what would be decided, and is no leave to run anything.
func ExampleGate_advise() {
	ctx, folder := context.Background(), exampleFolder()
	defer os.RemoveAll(folder)
	gate, err := standard.OpenClaims(ctx, folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	for _, arguments := range []string{`{"euros": 20}`, `{"euros": 2000}`} {
		res, _, _ := gate.Advise(ctx, proposal(arguments))
		fmt.Println(res.Decision.Verdict, res.Decision.Rule)
	}
	// Output:
	// allow allow-refund
	// deny deny-large
}

// Check and Report are for code that runs a tool itself: a permit is worth one run
// and one report.
func ExampleGate_check() {
	ctx, folder := context.Background(), exampleFolder()
	defer os.RemoveAll(folder)
	gate, err := standard.OpenClaims(ctx, folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	permit, refused, _ := gate.Check(ctx, proposal(`{"euros": 20}`))
	if !permit.Valid() {
		fmt.Println(refused.Error.Code)
		return
	}
	fmt.Println("runs with", string(permit.Arguments()))
	res, _ := gate.Report(ctx, permit, toolverdict.Outcome{Status: toolverdict.Succeeded, Content: json.RawMessage(`"refunded"`)})
	fmt.Println(res.Success, string(res.Content))
	_, err = gate.Report(ctx, permit, toolverdict.Outcome{Status: toolverdict.Failed})
	fmt.Println(err)
	// Output:
	// runs with {"euros": 20}
	// true "refunded"
	// report outcome: this call was reported already
}

// DoAll runs the calls of one message of a model and answers all of them.
func ExampleGate_doAll() {
	ctx, folder := context.Background(), exampleFolder()
	defer os.RemoveAll(folder)
	gate, err := standard.Open(ctx, folder, map[string]standard.Func{
		"shop/refund": func(context.Context, []byte) (json.RawMessage, error) { return json.RawMessage(`"refunded"`), nil },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	results, _ := gate.DoAll(ctx, []toolverdict.Proposal{proposal(`{"euros": 20}`), proposal(`{"euros": 2000}`), proposal(`{"euros": "20"}`)})
	for i := range results {
		if e := results[i].Error; e != nil {
			fmt.Println(e.Code)
			continue
		}
		fmt.Println(string(results[i].Content))
	}
	// Output:
	// "refunded"
	// POLICY_DENIED
	// INVALID_INPUT
}

func agent() toolverdict.Subject {
	return toolverdict.Subject{ID: "agent", Kind: toolverdict.Agent, User: "ann"}
}

func proposal(arguments string) toolverdict.Proposal {
	return toolverdict.Proposal{Door: toolverdict.DoorLibrary, Tool: "shop/refund", Arguments: []byte(arguments), Subject: agent()}
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
