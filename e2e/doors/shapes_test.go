// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package doors_test

import (
	"fmt"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/wire"
)

// form is the message of a model in one shape. The verbs are the call's name, as
// JSON, and its arguments: the text itself, or, where the shape has them as a
// string, that.
type form struct {
	message string
	quoted  bool
	textToo bool // an object and a text are both arguments
	none    bool // null is no arguments
}

func forms() map[wire.Shape]form {
	return map[wire.Shape]form{
		wire.OpenAIChat:      {message: `{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":%s,"arguments":%s}}]}`, quoted: true},
		wire.OpenAIFunctions: {message: `{"role":"assistant","function_call":{"name":%s,"arguments":%s}}`, quoted: true},
		wire.OpenAIResponses: {message: `[{"type":"function_call","call_id":"c","name":%s,"arguments":%s}]`, quoted: true},
		wire.Anthropic:       {message: `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":%s,"input":%s}]}`},
		wire.Gemini:          {message: `{"role":"model","parts":[{"functionCall":{"name":%s,"args":%s}}]}`, none: true},
		wire.Bedrock:         {message: `{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":%s,"input":%s}}]}`},
		wire.LangChain:       {message: `{"tool_calls":[{"id":"c","type":"tool_call","name":%s,"args":%s}]}`},
		wire.AutoGen:         {message: `{"content":[{"id":"c","name":%s,"arguments":%s}]}`, quoted: true},
		wire.SpringAI:        {message: `{"toolCalls":[{"id":"c","type":"function","name":%s,"arguments":%s}]}`, quoted: true},
		wire.Vercel:          {message: `{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":%s,"input":%s}]}`, textToo: true},
		wire.MCP:             {message: `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":%s,"arguments":%s}}`, none: true},
		wire.Plain:           {message: `{"id":"c","tool":%s,"arguments":%s}`, textToo: true, none: true},
	}
}

// write puts a call into the form.
func (f form) write(r *row) string {
	arguments := r.Arguments
	if f.quoted {
		arguments = ascii(arguments)
	}
	return fmt.Sprintf(f.message, ascii(r.Tool), arguments)
}

// instead says what is answered to arguments that the form has not.
func (f form) instead(r *row) (not, bool) {
	const malformed = "MALFORMED_CALL"
	recorded := not{code: malformed, record: "deny " + malformed}
	switch k := r.kind(); {
	case !k.strict() && !f.quoted:
		return not{code: malformed}, true // the whole body: nothing of it labels the record
	case r.Tool == "":
		return recorded, true // it names no tool
	case k == text && f.quoted, k == null && f.quoted:
		return recorded, true // a text in a text, or a text that holds no object
	case k == text && !f.textToo, k == null && !f.quoted && !f.none:
		return recorded, true
	}
	return not{}, false
}

// shapes are one door for each form of a model's message.
func (s *site) shapes(t *testing.T) []door {
	t.Helper()
	known := forms()
	var out []door
	for _, shape := range wire.Shapes() {
		f, ok := known[shape]
		if !ok {
			t.Errorf("the shape %q is new: write its form into forms()", shape)
			continue
		}
		body := func(r *row) string {
			return fmt.Sprintf(`{"shape":%q,"message":%s,"server":%q,"session":%s}`, shape, f.write(r), server, ascii(r.label))
		}
		out = append(out, door{name: "shape " + string(shape), as: tv.DoorHTTP, write: body, send: s.decided("/v1/decide"), instead: f.instead})
	}
	return out
}
