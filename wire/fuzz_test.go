// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"testing"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/wire"
)

// reads holds of any bytes: they are refused as a whole, or every call has an id
// of its own, arguments that are a part of the message or none that matter, and
// an answer.
func reads(f *testing.F, s wire.Shape) {
	f.Helper()
	for _, c := range readings()[s] {
		f.Add([]byte(c.message))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		calls, err := wire.Read(s, message, "fuzz", wire.Limits{})
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, c := range calls {
			if c.ID == "" || c.Kind == "" || seen[c.ID] && c.Fault == "" {
				t.Fatalf("%+v", c)
			}
			seen[c.ID] = true
			if c.Fault != "" {
				continue
			}
			v, err := canon.Parse(c.Arguments, canon.Limits{MaxBytes: 8 << 20, MaxDepth: 100})
			if err != nil || v.Kind() != canon.KindObject && v.Kind() != canon.KindString {
				t.Fatalf("arguments %q: %v", c.Arguments, err)
			}
		}
		write(t, s, calls, false, refused)
	})
}

func FuzzOpenAIChat(f *testing.F) { reads(f, wire.OpenAIChat) }

func FuzzOpenAIFunctions(f *testing.F) { reads(f, wire.OpenAIFunctions) }

func FuzzOpenAIResponses(f *testing.F) { reads(f, wire.OpenAIResponses) }

func FuzzAnthropic(f *testing.F) { reads(f, wire.Anthropic) }

func FuzzGemini(f *testing.F) { reads(f, wire.Gemini) }

func FuzzBedrock(f *testing.F) { reads(f, wire.Bedrock) }

func FuzzLangChain(f *testing.F) { reads(f, wire.LangChain) }

func FuzzAutoGen(f *testing.F) { reads(f, wire.AutoGen) }

func FuzzSpringAI(f *testing.F) { reads(f, wire.SpringAI) }

func FuzzVercel(f *testing.F) { reads(f, wire.Vercel) }

func FuzzMCP(f *testing.F) { reads(f, wire.MCP) }

func FuzzPlain(f *testing.F) { reads(f, wire.Plain) }
