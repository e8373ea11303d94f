// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package hookcmd is the command that coding agents start before and after each of
// their tools. On its standard output stands exactly one JSON object: no objection,
// or the agent's own denial. Whatever goes wrong is a denial, with the same text on
// standard error and exit code 2, because agents run the tool after most else.
package hookcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/hookcmd/installcmd"
	"github.com/toolverdict/toolverdict/hookgate"
)

// exitFault makes agents refuse the tool even where they do not read the answer.
const exitFault = 2

// maxDeadline is the longest that one answer may take.
const maxDeadline = 10 * time.Minute

// flags are what the command is told.
type flags struct {
	workspace, server, keyFile string
	deadline, wait             time.Duration
}

const long = `Answer what a coding agent tells its hook. The agent starts this command, writes
one JSON object to its standard input, and reads the answer from its standard
output: {} where the gate has no objection, else the agent's own form of a denial.

AGENT is claude-code, codex, gemini, copilot, qwen, cursor, opencode or cline. Without --server the
gate is in this process, on the data folder of the configuration: that of --config,
or the user's own. Without any, a built-in policy holds for the folder of the
project. The environment names nothing: agents read files of the project into it.
docs/hooks.md says how to set it up; 'toolverdict hook install' does it.`

// Command is the command hook.
func Command(app *cli.App) *cobra.Command {
	c := &cobra.Command{
		Use:     "hook AGENT",
		Short:   "Answer a coding agent's hook: deny, or raise no objection",
		Long:    long,
		Example: "  toolverdict hook claude-code\n  toolverdict hook codex --server http://127.0.0.1:8711 --key-file ~/.config/toolverdict/agent.key",
		// Its flags are read below: an error of theirs has to be a denial, too.
		DisableFlagParsing: true,
		Args:               cobra.ArbitraryArgs, // an agent is no command of its own
	}
	c.AddCommand(installcmd.Install(app), installcmd.Undo(app))
	var f flags
	set := c.Flags()
	set.StringVar(&app.Config, "config", "", "configuration `file` (else the user's own, else a built-in policy)")
	set.StringVar(&app.Data, "data", "", "data `folder`; wins over the configuration's")
	set.StringVar(&f.workspace, "workspace", "", "the `folder` that the agent works in (else the configuration's, else that of the project)")
	set.StringVar(&f.server, "server", "", "ask the gate at this `address` instead of one in this process")
	set.StringVar(&f.keyFile, "key-file", "", "`file` with the API key for --server")
	set.DurationVar(&f.deadline, "deadline", 25*time.Second, "how long an answer may take: half of the time that the agent gives its hook")
	set.DurationVar(&f.wait, "wait", 0, "how long to wait for a person, within the deadline")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 1 && (args[0] == "-h" || args[0] == "--help") {
			return c.Help()
		}
		h := &hook{app: app, flags: &f, agent: agentOf(args)}
		return h.run(c.Context(), func() error {
			err := c.Flags().Parse(args)
			return h.read(c.Flags().Args(), err)
		})
	}
	return c
}

// agentOf finds the agent before anything can go wrong, so that every denial is in
// its form.
func agentOf(args []string) hookgate.Agent {
	for _, a := range args {
		if agent, known := hookgate.Named(a); known {
			return agent
		}
	}
	return ""
}

// hook is one run of the command.
type hook struct {
	app   *cli.App
	flags *flags
	agent hookgate.Agent
}

// read checks the command line.
func (h *hook) read(rest []string, err error) error {
	if err != nil {
		return fmt.Errorf("read the command line: %w", err)
	}
	if len(rest) != 1 || hookgate.Agent(rest[0]) != h.agent || h.agent == "" {
		return fmt.Errorf("read the command line: name one agent of %v", hookgate.Agents())
	}
	if h.flags.deadline < time.Second || h.flags.deadline > maxDeadline {
		return fmt.Errorf("read the command line: --deadline is between 1s and %s", maxDeadline)
	}
	return nil
}

// answer is what is printed, and whether something was at fault.
type answer struct {
	text  []byte
	fault error
}

// run makes the answer within its time and prints it, once. It is the only writer
// of standard output.
func (h *hook) run(ctx context.Context, ready func() error) error {
	a := answer{fault: ready()}
	if a.fault == nil {
		a = h.inTime(ctx)
	}
	return h.print(a)
}

// inTime gives up on a gate that does not answer: the agent would give up on this
// command a little later, and run the tool.
func (h *hook) inTime(ctx context.Context) answer {
	ctx, cancel := context.WithTimeout(ctx, h.flags.deadline)
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- answer{fault: fmt.Errorf("panic: %v", v)}
			}
		}()
		done <- h.ask(ctx)
	}()
	select {
	case a := <-done:
		return a
	case <-ctx.Done():
		return answer{fault: fmt.Errorf("no answer within %s", h.flags.deadline)}
	}
}

// print writes the answer; what is none of the two that there are becomes a denial, but
// for a deferral where nobody attends: anywhere else the tool would run.
func (h *hook) print(a answer) error {
	if _, ok := hookgate.Objects(h.agent, a.text); !ok && (!h.unattended() || !hookgate.Defers(a.text)) {
		if a.fault == nil {
			a.fault = errors.New("the answer is none")
		}
		a.text = hookgate.Denial(h.agent, "Toolverdict could not decide this call, so it must not run: "+a.fault.Error()+". Tell the user.")
	}
	if _, err := h.app.Stdout.Write(append(a.text, '\n')); err != nil {
		a.fault = errors.Join(a.fault, err)
	}
	objects, _ := hookgate.Objects(h.agent, a.text)
	if a.fault == nil || !objects { // of a tool that has run, nothing can be refused
		return nil
	}
	fmt.Fprintln(h.app.Stderr, hookgate.Said(h.agent, a.text))
	if !h.agent.ReadsWhatFailed() {
		return nil
	}
	return cli.Quiet(exitFault)
}

// ask reads what the agent says and asks a gate.
func (h *hook) ask(ctx context.Context) answer {
	input, err := io.ReadAll(io.LimitReader(h.app.Stdin, hookgate.MaxInput+1))
	if err != nil {
		return answer{fault: fmt.Errorf("read the input of the hook: %w", err)}
	}
	if len(input) > hookgate.MaxInput {
		return answer{fault: fmt.Errorf("read the input of the hook: it is larger than %d bytes", hookgate.MaxInput)}
	}
	if h.flags.server != "" {
		return h.remote(ctx, h.flags.server, input)
	}
	return h.local(ctx, input)
}
