// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package langchaingo puts the tools of LangChainGo behind a gate. A tool is
// wrapped itself: callbacks there cannot keep a tool from running.
//
// A tool of LangChainGo takes one text. Whether that text is the arguments, or one
// argument, is said when it is wrapped and never guessed.
package langchaingo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tmc/langchaingo/tools"

	"github.com/toolverdict/toolverdict/guard"
)

// Text guards a tool whose input is free text. To the gate it is the argument
// "input" of its tool: give it its role in the catalog.
func Text(g guard.Guard, t tools.Tool) tools.Tool { return tool{t, g, true} }

// JSON guards a tool whose input is its arguments, as one JSON object.
func JSON(g guard.Guard, t tools.Tool) tools.Tool { return tool{t, g, false} }

// Distinct returns tools for an agent, or an error where two of them have names
// that differ in case alone: an executor looks names up in upper case, and would
// take one for the other.
func Distinct(all ...tools.Tool) ([]tools.Tool, error) {
	seen := map[string]string{}
	for _, t := range all {
		upper := strings.ToUpper(t.Name())
		if other, taken := seen[upper]; taken {
			return nil, fmt.Errorf("give tools to an agent: %q and %q are one name to the executor", other, t.Name())
		}
		seen[upper] = t.Name()
	}
	return all, nil
}

type tool struct {
	tools.Tool

	guard guard.Guard
	text  bool
}

// input is what the arguments of a tool that takes free text are.
type input struct {
	Input string `json:"input"`
}

// step finds the lines by which a ReAct agent tells steps apart. It takes all that
// follows the first of them for the input: the text of one step alone has none.
var step = regexp.MustCompile(`(?mi)^[\s*]*(action|action input|observation|thought|final answer)[\s*]*:`)

// unreadable stands for an input that is none. No bytes at all would mean no
// arguments.
const unreadable = "\x00"

// Call implements [tools.Tool]. A refusal, and an error of the tool, is its
// answer, which the model reads: an error would end the agent.
func (t tool) Call(ctx context.Context, in string) (string, error) {
	c := guard.Call{Tool: t.Name(), Arguments: []byte(in)}
	switch {
	case !t.text:
	case step.MatchString(in):
		c.Arguments = []byte(unreadable)
	default:
		c.Arguments, _ = json.Marshal(input{in})
	}
	out, refused := guard.Do(ctx, t.guard, c, func(ctx context.Context, decided []byte) (string, error) {
		if !t.text {
			return t.Tool.Call(ctx, string(decided))
		}
		var own input
		if err := json.Unmarshal(decided, &own); err != nil {
			return "", errors.New("the input is no text")
		}
		return t.Tool.Call(ctx, own.Input)
	})
	if refused != nil {
		return refused.Text(), nil
	}
	return out, nil
}
