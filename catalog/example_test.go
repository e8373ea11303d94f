// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"encoding/json"
	"fmt"

	"github.com/toolverdict/toolverdict/catalog"
)

// A server announces two tools; the operator describes one of them and has
// reviewed none.
func ExampleBuild() {
	overlay, err := catalog.ParseOverlay("catalog.yaml", []byte(`
tools:
  orders/query_order: {safety: read-only, risk: low}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	in := catalog.Input{
		Servers: []catalog.Server{{Name: "orders", Announced: []json.RawMessage{
			json.RawMessage(`{"name":"query_order","inputSchema":{"type":"object"}}`),
			json.RawMessage(`{"name":"refund","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`),
		}}},
		Overlays: []*catalog.Overlay{overlay},
	}
	_, report, err := catalog.Build(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range report.Tools {
		fmt.Println(e.Tool, e.State+":", e.Reason)
	}

	// Somebody looks at both and agrees.
	query, _ := report.Entry("orders/query_order")
	refund, _ := report.Entry("orders/refund")
	in.Pins, err = report.Accept([]catalog.Review{
		{Tool: query.Tool, Hash: query.Seen.Hash}, {Tool: refund.Tool, Hash: refund.Seen.Hash},
	}, "approver", at())
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, _, err := catalog.Build(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"orders/query_order", "orders/refund"} {
		tool, _ := tools.Tool(name)
		fmt.Printf("%s is %s, %s risk, needs %q\n", name, tool.Safety(), tool.Risk(), tool.Permission())
	}
	// Output:
	// orders/query_order new: it is new: it waits for review
	// orders/refund new: it is new: it waits for review
	// orders/query_order is read-only, low risk, needs ""
	// orders/refund is destructive, high risk, needs "tool:orders/refund"
}
