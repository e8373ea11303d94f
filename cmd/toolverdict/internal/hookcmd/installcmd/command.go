// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package installcmd holds the commands that set the hook of a coding agent up and
// take it out again. They show what they would write, say what will hold and what
// will not, and ask: nothing is written without a yes.
package installcmd

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup"
)

// job is one run of a command.
type job struct {
	app                     *cli.App
	place                   setup.Place
	project, user, yes      bool
	config, server, keyFile string
	keyVariable             string
	acceptsFailOpen         bool
}

const longInstall = `Write the gate's entry into the settings of a coding agent, so that it asks the gate
before and after each of its tools. AGENT is claude-code, codex, gemini, copilot, qwen,
cursor, opencode or cline.

What would be written is shown, with what will hold and what is not covered; then you
are asked. What there was is kept in ~/.config/toolverdict/hook-backups, and
'toolverdict hook undo AGENT' gives it back. Everything else in the files stays as it
is. Run it again to set up another version of the program, or another configuration.

Without --server the gate is in the hook's own process, on your configuration or on
that of --config. With --server Claude Code asks the gate itself, with the key in
TOOLVERDICT_KEY of its environment, or lets the program ask, with --key-file; for the
other agents the program asks. docs/hooks.md tells of all of it.`

// Install is the command hook install.
func Install(app *cli.App) *cobra.Command {
	j := &job{app: app}
	c := &cobra.Command{
		Use:     "install AGENT",
		Short:   "Set the hook of a coding agent up",
		Long:    longInstall,
		Example: "  toolverdict hook install claude-code\n  toolverdict hook install codex --server http://127.0.0.1:8711 --key-file ~/.config/toolverdict/agent.key",
		Args:    cli.One("an agent"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := j.find(args[0]); err != nil {
				return err
			}
			return j.install(c)
		},
	}
	j.flags(c)
	set := c.Flags()
	set.StringVar(&j.config, "config", "", "configuration `file` of the gate (else your own, else a built-in policy)")
	set.StringVar(&j.server, "server", "", "let the gate at this `address` be asked")
	set.StringVar(&j.keyFile, "key-file", "", "`file` with the API key for --server")
	set.StringVar(&j.keyVariable, "key-variable", "", "`variable` of Claude Code's environment that holds the API key for --server (TOOLVERDICT_KEY)")
	set.BoolVar(&j.acceptsFailOpen, "accept-fail-open", false, "go on with a version of the agent that runs tools when its hook fails")
	return c
}

// Undo is the command hook undo.
func Undo(app *cli.App) *cobra.Command {
	j := &job{app: app}
	c := &cobra.Command{
		Use:   "undo AGENT",
		Short: "Take the hook of a coding agent out",
		Long: `Take the gate's entry out of the settings of a coding agent. A file that nobody changed
since 'toolverdict hook install' becomes what it was before, to the byte; of any other
only the entry is taken out. What would be changed is shown, and you are asked.`,
		Args: cli.One("an agent"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := j.find(args[0]); err != nil {
				return err
			}
			return j.undo()
		},
	}
	j.flags(c)
	return c
}

func (j *job) flags(c *cobra.Command) {
	set := c.Flags()
	set.BoolVar(&j.user, "user", false, "for all of your sessions (this is so where nothing is said)")
	set.BoolVar(&j.project, "project", false, "for sessions in this folder only: who can write it can take the hook out")
	set.BoolVarP(&j.yes, "yes", "y", false, "write without asking")
	c.MarkFlagsMutuallyExclusive("user", "project")
}

// find says where the agent's files are.
func (j *job) find(agent string) error {
	a, known := hookgate.Named(agent)
	if !known {
		return cli.Usage("there is no agent %q: use one of %v", agent, hookgate.Agents())
	}
	home := j.variable("HOME")
	if !filepath.IsAbs(home) {
		return cli.Usage("your home folder is not known: set HOME")
	}
	j.place = setup.Place{Agent: a, Home: filepath.Clean(home), Scope: setup.User, System: setup.System(a, j.app.Getenv)}
	here, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find this folder: %w", err)
	}
	if !setup.Inside(j.place.Home, here) { // a folder that holds the home folder is no project
		j.place.Project = here
	}
	if j.project {
		if j.place.Scope = setup.Project; j.place.Project == "" {
			return cli.Usage("--project: this folder holds your home folder: go to the folder of a project")
		}
		return nil
	}
	j.place.Folder, err = setup.Folder(a, j.place.Home, j.app.Getenv)
	if err != nil {
		return cli.Usage("%v", err)
	}
	return nil
}

func (j *job) install(c *cobra.Command) error {
	entry, err := j.entry()
	if err != nil {
		return err
	}
	if err := j.recent(c); err != nil {
		return err
	}
	change, err := setup.Plan(j.place, entry)
	if err != nil {
		return cli.Usage("%v", err)
	}
	j.say(explain(&j.place, &entry))
	if change.Empty() {
		j.say("The hook is set up so already: there is nothing to change.\n")
		return nil
	}
	if err := j.write(&change); err != nil {
		return err
	}
	j.say("Written. 'toolverdict hook undo " + string(j.place.Agent) + scopeFlag(&j.place) + "' takes it back. Sessions that run already go on as they were.\n")
	return nil
}

func scopeFlag(p *setup.Place) string {
	if p.Scope == setup.Project {
		return " --project"
	}
	return ""
}

func (j *job) undo() error {
	change, err := setup.Undo(j.place)
	if err != nil {
		return cli.Usage("%v", err)
	}
	if change.Empty() {
		j.say("There is no entry of the gate: nothing to take out.\n")
		return nil
	}
	if err := j.write(&change); err != nil {
		return err
	}
	j.say(fmt.Sprintf("Taken out: from the next session on, %s asks the gate no more.\n", j.place.Agent))
	return nil
}

// write shows a change, asks, and makes it.
func (j *job) write(change *setup.Change) error {
	fmt.Fprint(j.app.Stdout, change.Diff())
	if !j.yes {
		if !interactive(j.app) {
			return &cli.Error{Code: cli.ExitInternal, Text: "nothing was written: there is no terminal to ask on; give --yes"}
		}
		j.say("Write this? [y/N] ")
		answer, _ := bufio.NewReader(j.app.Stdin).ReadString('\n') // an input that ends is no yes
		if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
			return &cli.Error{Code: cli.ExitInternal, Text: "nothing was written"}
		}
	}
	if err := change.Apply(); err != nil {
		return cli.Usage("%v", err)
	}
	return nil
}

// interactive reports whether there is a person to ask.
func interactive(app *cli.App) bool {
	file, ok := app.Stdin.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Mode()&os.ModeDevice != 0 && !null(info)
}

// null reports whether a device is that which is always empty: it is none to ask on.
func null(info os.FileInfo) bool {
	other, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, other)
}

func (j *job) say(text string) { fmt.Fprint(j.app.Stderr, cli.Plain(text)) }

func (j *job) variable(name string) string {
	v, _ := j.app.Getenv(name)
	return v
}
