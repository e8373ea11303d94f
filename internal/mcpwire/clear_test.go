// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire_test

import (
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// A server that writes a member twice would have the gate decide on one of them
// and the client act on the other.
func TestParseServerRefusesWhatClientsReadOtherwise(t *testing.T) {
	t.Parallel()
	ask := `"a":{"method":"sampling/createMessage","params":{"maxTokens":1}}`
	for name, c := range map[string]struct {
		body string
		ok   bool
	}{
		"plain":                      {`"result":{"content":[],"isError":false}`, true},
		"names that differ by case":  {`"result":{"content":[],"structuredContent":{"id":1,"ID":2}}`, true},
		"content given twice inside": {`"result":{"structuredContent":{"a":1,"a":2}}`, true},
		"result type twice":          {`"result":{"resultType":"complete","resultType":"input_required","content":[]}`, false},
		"an error that is none":      {`"result":{"isError":true,"isError":false}`, false},
		"another case":               {`"result":{"isError":true,"iserror":false}`, false},
		"an escaped name":            {`"result":{"tools":[],"t\u006fols":[]}`, false},
		"a question":                 {`"result":{"resultType":"input_required","inputRequests":{` + ask + `}}`, true},
		"a question in a done call":  {`"result":{"resultType":"complete","inputRequests":{` + ask + `}}`, false},
		"questions in a list":        {`"result":{"resultType":"input_required","inputRequests":[{"method":"roots/list"}]}`, false},
		"one name, two questions":    {`"result":{"resultType":"input_required","inputRequests":{` + ask + `,` + ask + `}}`, false},
		"two methods":                {`"result":{"resultType":"input_required","inputRequests":{"a":{"method":"ping","method":"roots/list"}}}`, false},
		"no method":                  {`"result":{"resultType":"input_required","inputRequests":{"a":{"method":7}}}`, false},
		"a question that is text":    {`"result":{"resultType":"input_required","inputRequests":{"a":"roots/list"}}`, false},
		"params twice":               {`"result":{"resultType":"input_required","inputRequests":{"a":{"method":"x","params":{"u":{"v":1,"v":2}}}}}`, false},
		"a tool described twice":     {`"result":{"tools":[{"name":"ok","description":"a","description":"b"}]}`, false},
		"a schema property twice":    {`"result":{"tools":[{"name":"ok","inputSchema":{"properties":{"a":{},"a":{}}}}]}`, false},
		"a tool with two cases":      {`"result":{"tools":[{"name":"ok","Name":"evil"}]}`, false},
		"properties of two cases":    {`"result":{"tools":[{"name":"ok","inputSchema":{"properties":{"a":{},"A":{}}}}]}`, true},
		"a tool nested without end":  {`"result":{"tools":[{"name":"ok","x":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}]}`, false},
		"an error code twice":        {`"error":{"code":1,"code":2,"message":"m"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := mcpwire.ParseServer([]byte(`{"jsonrpc":"2.0","id":1,` + c.body + `}`))
			if (err == nil) != c.ok {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := mcpwire.ParseServer([]byte(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"a":1,"A":2}}`)); err == nil {
		t.Error("a server's question was read that clients read otherwise")
	}
}
