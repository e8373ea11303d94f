// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"io"
)

// gemini is generateContent, as a stream or whole.
type gemini struct{}

func (gemini) read(body []byte) ([]spoken, []string, error) {
	var in struct {
		Contents []struct {
			Role  string
			Parts []struct {
				Text             string
				FunctionCall     *struct{ Name string }
				FunctionResponse *struct {
					ID       string
					Response json.RawMessage
				}
			}
		}
		Tools []struct{ FunctionDeclarations []struct{ Name string } }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, nil, err
	}
	said := make([]spoken, 0, len(in.Contents))
	for _, c := range in.Contents {
		s := spoken{model: c.Role == "model"}
		for _, p := range c.Parts {
			s.text += p.Text
			if p.FunctionCall != nil {
				s.calls = append(s.calls, p.FunctionCall.Name)
			}
			if p.FunctionResponse != nil {
				s.results = append(s.results, Result{p.FunctionResponse.ID, string(p.FunctionResponse.Response)})
			}
		}
		said = append(said, s)
	}
	var tools []string
	for _, t := range in.Tools {
		for _, f := range t.FunctionDeclarations {
			tools = append(tools, f.Name)
		}
	}
	return said, tools, nil
}

func (gemini) write(w io.Writer, a answer, whole bool) error {
	var parts []object
	if a.text != "" {
		parts = append(parts, object{"text": a.text})
	}
	for _, c := range a.calls {
		parts = append(parts, object{"functionCall": object{"id": c.id, "name": c.Name, "args": json.RawMessage(c.input)}})
	}
	out := object{
		"candidates":    []object{{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": parts}}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
		"modelVersion":  a.model,
	}
	if whole {
		return json.NewEncoder(w).Encode(out)
	}
	return event(w, "", out)
}
