// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package loop answers the calls in a model's message, for programs that speak to
// a model API themselves: each call is run with leave of a gate, and the answers
// come back in the form that the API wants. It knows every form of the package
// wire.
//
// No call is dropped: what cannot be a call, what the provider ran itself and what
// there is no tool for is refused, recorded and answered like any other. A message
// that is answered twice has its calls run twice, unless Once is set.
package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/wire"
)

// Tool runs a call with the arguments that were decided. Its answer must be JSON.
type Tool func(ctx context.Context, arguments []byte) (json.RawMessage, error)

// Loop has what does not change from message to message.
type Loop struct {
	Guard guard.Guard
	Shape wire.Shape      // of the model's messages; never guessed
	Tools map[string]Tool // by the names that the model has

	// Sequential runs the calls of one message one after another, in their order.
	// Otherwise they run side by side.
	Sequential bool

	// Once makes each call of a message one act, whatever crashes: a message that is
	// answered again, after a restart or in a replay, has its calls answered with what
	// came of them, and what is not known is not tried again. That holds for as long as
	// the gate keeps answers: the window of the tool's idempotency in the catalog, 15
	// minutes where it names none. What failed, and what only reads, may run again. It
	// needs a session in Guard, and turns of which no two in the session are the same.
	//
	// A call that waits for a person is then carried on by answering its message
	// again. One that the model makes anew, in another message, is another act, which
	// a person is asked about again.
	Once bool
}

// maxParallel bounds how many calls of one message run side by side.
const maxParallel = 16

// Answer runs the calls in a message of the model and returns the messages, or
// items, to answer it with, as a JSON list. Turn names the message, for ids of
// calls that have none. An error is about the message, or about what Once needs:
// then nothing was run.
func (l *Loop) Answer(ctx context.Context, message []byte, turn string) (json.RawMessage, error) {
	if l.Once && (l.Guard.Session == "" || turn == "") {
		return nil, errors.New("answer calls: Once needs a session and a turn, which tell a repeat from a new call")
	}
	calls, err := wire.Read(l.Shape, message, turn, wire.Limits{})
	if err != nil {
		return nil, fmt.Errorf("answer calls: %w", err)
	}
	answers := make([]wire.Answer, len(calls))
	limit := maxParallel
	if l.Sequential {
		limit = 1
	}
	var wg sync.WaitGroup
	room := make(chan struct{}, limit)
	for i, c := range calls {
		room <- struct{}{} // waits for those before it
		wg.Go(func() {
			defer func() { <-room }()
			answers[i] = l.one(ctx, c, turn)
		})
	}
	wg.Wait()
	out, err := wire.Messages(l.Shape, answers)
	if err != nil {
		return nil, fmt.Errorf("answer calls: %w", err)
	}
	return out, nil
}

// unreadable stands for the arguments of a call that cannot be what it says it is.
// No bytes at all would mean no arguments.
const unreadable = "\x00"

func (l *Loop) one(ctx context.Context, c wire.Call, turn string) wire.Answer {
	call := guard.Call{ID: c.ID, Tool: name(c), Arguments: c.Arguments}
	if c.Fault != "" {
		call.Arguments = []byte(unreadable)
	}
	if l.Once {
		call.Key = act(l.Guard.Session, turn, c.ID)
	}
	out, refused := guard.Do(ctx, l.Guard, call, func(ctx context.Context, decided []byte) (json.RawMessage, error) {
		tool := l.Tools[call.Tool]
		if tool == nil {
			return nil, fmt.Errorf("%w: there is no such tool here", guard.ErrNotRun)
		}
		return tool(ctx, decided)
	})
	if refused != nil {
		return wire.Answer{Call: c, Content: json.RawMessage(refused.Text())}
	}
	return wire.Answer{Call: c, OK: true, Content: out}
}

// act names a call. As a list: a model that picks its ids must not name an act of
// another turn or session.
func act(session, turn, id string) string {
	b, _ := json.Marshal([]string{session, turn, id})
	return string(b)
}

// name is the tool that a call means. What the provider ran, or what is of a kind
// that nobody knows, means none that there is.
func name(c wire.Call) string {
	switch {
	case c.Kind == wire.Hosted, c.Kind == wire.Unknown, c.Kind == wire.Remote:
		return string(c.Kind) + ":" + c.Name
	case c.Server != "":
		return c.Server + "/" + c.Name
	}
	return c.Name
}
