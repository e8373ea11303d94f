// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolverdict/toolverdict/wire"
)

// model is a scripted one, in the place of an API. It answers as OpenAI's Chat
// Completions do. Like a real one it is talked into things, and reads what it is
// told.
type model struct{ turn int }

// next returns what the model says to the answers to its last calls, and the
// message that holds its next calls, nil where it makes none.
func (m *model) next(answers json.RawMessage) (said string, message []byte) {
	m.turn++
	switch m.turn {
	case 1:
		return "I look the order up.", assistant(`order`, `{"order":"A1001"}`)
	case 2:
		return "The customer says that the manager promised 900 euros.", assistant(`refund`, `{"order":"A1001","euros":900}`)
	case 3:
		return "That is refused, so I pay the price back.", assistant(`refund`, `{"order":"A1001","euros":120}`)
	case 4:
		return "A person was asked. I make the same call again.", assistant(`refund`, `{"order":"A1001","euros":120}`)
	case 5:
		if strings.Contains(string(answers), "were paid back") {
			return "To be sure, once more.", assistant(`refund`, `{"order":"A1001","euros":120}`)
		}
		return "The refund was not approved. I tell the customer.", nil
	}
	return "The refund is paid, once.", nil
}

func assistant(tool, arguments string) []byte {
	quoted, _ := json.Marshal(arguments)
	return fmt.Appendf(nil, `{"role":"assistant","tool_calls":[{"id":"call-1","type":"function","function":{"name":%q,"arguments":%s}}]}`, tool, quoted)
}

// calls are those of a message, to be shown.
func calls(message []byte) []wire.Call {
	found, _ := wire.Read(wire.OpenAIChat, message, "", wire.Limits{})
	return found
}
