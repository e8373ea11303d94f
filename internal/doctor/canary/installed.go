// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/toolverdict/toolverdict/hookgate"
)

// Installed is a hook as it stands in an agent's settings: a program that the agent
// starts, or an address that it asks.
type Installed struct {
	Hook

	Where   string   // whose settings, as people know them
	Command []string // program and arguments; none where the agent asks Gate itself
	Env     []string
	Gate    Gate // that is asked; of a program, only its log is looked into
}

// Doors are the ways in, one for each of its calls.
func (i Installed) Doors() []Door {
	calls := i.Calls()
	fix := fmt.Sprintf("toolverdict hook install %s", i.Agent)
	if len(i.Command) == 0 {
		fix = fmt.Sprintf("give doctor the key that the agent has (TOOLVERDICT_KEY), or set the hook up anew: %s --server %s", fix, i.Gate.URL)
	}
	doors := make([]Door, len(calls))
	for n, c := range calls {
		doors[n] = Door{
			Way: c.way(fmt.Sprintf("hook %s in %s", i.Agent, i.Where)), Tool: c.Tool, Rule: c.Rule, Log: i.Gate.Log, Now: i.Gate.Now,
			Fix: fix,
			Knock: func(ctx context.Context, mark string) error {
				answer, err := i.ask(ctx, i.Input(mark, c))
				if err != nil {
					return err
				}
				return i.refused(answer, c)
			},
		}
	}
	return doors
}

func (i Installed) ask(ctx context.Context, input []byte) ([]byte, error) {
	if len(i.Command) == 0 {
		return i.Gate.post(ctx, "/v1/hooks/"+string(i.Agent), input, nil)
	}
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, i.Command[0], i.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = i.Workspace, i.Env, bytes.NewReader(input), time.Second
	var answer bytes.Buffer
	var log tail
	cmd.Stdout, cmd.Stderr = &bounded{to: &answer}, &log
	err := cmd.Run()
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("it gave no answer within %s", hookTime)
	case err != nil && !ended:
		return nil, fmt.Errorf("it cannot be started: %v", err)
	case ended:
		said := log.said()
		if text := hookgate.Said(i.Agent, answer.Bytes()); text != "" {
			said = ": " + text
		}
		return nil, fmt.Errorf("it is at fault (exit code %d)%s", exit.ExitCode(), said)
	}
	return answer.Bytes(), nil
}

// hookTime is longer than a hook takes that works.
const hookTime = 60 * time.Second

// bounded keeps no more of an answer than is read of any.
type bounded struct{ to *bytes.Buffer }

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if room := maxAnswer - b.to.Len(); room > 0 {
		b.to.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
