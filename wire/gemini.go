// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"slices"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// gemini is the content of a candidate of Google's Gemini, or its parts. The API
// takes both spellings of a member, so both are read.
type gemini struct{}

func (gemini) read(message canon.Value) ([]Call, error) {
	parts, err := list(message, "parts")
	if err != nil {
		return nil, err
	}
	var calls []Call
	for _, part := range parts {
		calls = append(calls, geminiCalls(part)...)
	}
	return calls, nil
}

// geminiCalls are those of one part: one at most, where the part is what it should
// be.
func geminiCalls(part canon.Value) []Call {
	if part.Kind() != canon.KindObject {
		return []Call{odd()}
	}
	var calls []Call
	for name, v := range part.Fields() {
		switch {
		case name == "functionCall" || name == "function_call":
			calls = append(calls, geminiCall(v))
		case name == "executableCode" || name == "executable_code":
			calls = append(calls, other(Hosted, "", "executableCode"))
		case !slices.Contains(geminiTalk(), name):
			calls = append(calls, other(Unknown, "", name))
		}
	}
	for i := range calls {
		if len(calls) > 1 {
			calls[i].fail("its part says more than one thing")
		}
	}
	return calls
}

// geminiTalk are the members of parts that ask for nothing.
func geminiTalk() []string {
	return []string{
		"text", "thought", "thoughtSignature", "thought_signature", "inlineData", "inline_data", "fileData", "file_data",
		"functionResponse", "function_response", "codeExecutionResult", "code_execution_result",
		"videoMetadata", "video_metadata", "mediaResolution", "media_resolution", "partMetadata", "part_metadata",
	}
}

func geminiCall(f canon.Value) Call {
	if f.Kind() != canon.KindObject {
		return odd()
	}
	c := call(f, "id", "name")
	c.take(f, "args", asObject|orNone)
	for _, more := range []string{"willContinue", "will_continue"} {
		if mayBe(f, more) {
			c.fail("it is not complete yet")
		}
	}
	if has(f, "partialArgs") || has(f, "partial_args") {
		c.fail("its arguments are not complete yet")
	}
	return c
}

func (gemini) answer(a Answer) any {
	if a.Call.Kind != Function {
		return object{"text": "Call " + a.Call.ID + ": " + a.text()}
	}
	said := object{"error": a.content()}
	if a.OK {
		said = object{"output": a.content()}
	}
	f := object{"name": a.Call.Name, "response": said}
	if !a.Call.Synthetic {
		f["id"] = a.Call.ID
	}
	return object{"functionResponse": f}
}

func (gemini) messages(answers []any) any { return []any{object{"role": "user", "parts": answers}} }

func (gemini) tools(all []Tool) any {
	return []any{object{"functionDeclarations": each(all, func(t Tool) any {
		return object{"name": t.Name, "description": t.Description, "parametersJsonSchema": t.Schema}
	})}}
}
