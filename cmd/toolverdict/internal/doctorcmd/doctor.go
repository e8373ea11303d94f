// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package doctorcmd is "toolverdict doctor": it finds out which gate is meant, has
// it looked at, and prints what was found and what puts it right.
package doctorcmd

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/doctor/hooked"
	"github.com/toolverdict/toolverdict/internal/doctor/unguarded"
	"github.com/toolverdict/toolverdict/internal/doctor/ward"
)

// flags are what the command is told.
type flags struct {
	server, keyFile string
	adminKeyFile    string
	channels, json  bool
	each            time.Duration
	newest          int

	// Of transcripts.
	folder, since string
	find          bool
	agents        []string
}

const long = `Look whether the gate is well, and whether it is really on the path.

Checks the configuration, the data folder, keys, clock, database, audit log, policies,
approvers, servers, and the gate that is served; then makes a call that must be
denied through each door, and each coding agent's hook as it stands in the agent's
settings, and looks for its record. Nothing is run: the tool that is called cannot
exist. With --find-transcripts it holds the calls in coding agents'
transcripts against the decisions, and tells which went past the gate.

Exit code 0: all is well, perhaps with warnings. 3: something is unprotected or
broken. 2: something could not be looked at. docs/doctor.md says what each check
means.`

// Command is "toolverdict doctor".
func Command(app *cli.App) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "doctor", Short: "Look whether the gate is well, and whether it is really on the path", Long: long, Args: cobra.NoArgs,
		Example: "  toolverdict doctor --config examples/orders/toolverdict.yaml\n  toolverdict doctor --server https://gate.example.com --key-file agent.key",
	}
	set := c.Flags()
	set.StringVar(&f.server, "server", "", "`address` of the gate (else that of the gate served on the data folder)")
	set.StringVar(&f.keyFile, "key-file", "", "`file` with the API key of a subject that may call (else one that an example made)")
	set.BoolVar(&f.channels, "channels", false, "send a card that is of no approval to each channel")
	set.StringVar(&f.adminKeyFile, "admin-key-file", "", "`file` with the API key of an administrator, for --channels (else one that an example made)")
	set.BoolVar(&f.json, "json", false, "the same as --output json")
	set.DurationVar(&f.each, "each", time.Minute, "how long one check may take")
	set.StringVar(&f.folder, "transcripts", "", "look through agents' transcripts below this `folder`, in the place of the home folder")
	set.BoolVar(&f.find, "find-transcripts", false, "look through agents' transcripts in the home folder")
	set.StringVar(&f.since, "since", "30d", "how `long` back transcripts are looked at")
	set.StringSliceVar(&f.agents, "agents", nil, "these `agents` must have a hook, and only their transcripts are looked at")
	set.IntVar(&f.newest, "newest", 20, "how `many` of the calls in transcripts are printed")
	app.OutputFlag(c)
	check := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if f.json {
			if err := c.Flags().Set("output", "json"); err != nil {
				return err
			}
		}
		return check(c, args)
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return run(c.Context(), app, &f) }
	return app.FileFlags(c)
}

func run(ctx context.Context, app *cli.App, f *flags) (err error) {
	if f.each <= 0 {
		return cli.Usage("--each: a time is wanted, such as 1m")
	}
	wanted, err := f.wanted()
	if err != nil {
		return err
	}
	p, err := patient(app, f)
	if err != nil {
		return err
	}
	u, done, err := agents(app, p, wanted)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	checks := slices.Concat(p.Checks(), p.Doors(), u.Checks())
	past, err := f.review(app, wanted, logs(app, p, u))
	if err != nil {
		return err
	}
	if past != nil {
		checks = append(checks, past)
	}
	if len(checks) == 0 {
		return cli.Usage("there is nothing to look at: name a configuration with --config, or a gate with --server")
	}
	out := &printer{app: app, bright: bright(app)}
	report := doctor.Run(ctx, checks, f.each, out.finding)
	var calls *unguarded.Report
	if past != nil {
		calls = past.found
	}
	if err := out.end(&report, calls, f.newest); err != nil {
		return err
	}
	switch report.Worst() {
	case doctor.OK, doctor.Note, doctor.Warning:
		return nil
	case doctor.Unknown:
		return cli.Quiet(cli.ExitUsage)
	case doctor.Failure:
	}
	return cli.Quiet(cli.ExitDenied)
}

// wanted are the agents that were named.
func (f *flags) wanted() ([]hookgate.Agent, error) {
	var out []hookgate.Agent
	for _, name := range f.agents {
		a, known := hookgate.Named(name)
		if !known {
			return nil, cli.Usage("--agents: %q: use %s", name, names(hookgate.Agents()))
		}
		out = append(out, a)
	}
	return out, nil
}

// agents are those of the user who runs this. Done takes away what was made for them.
func agents(app *cli.App, p *ward.Patient, wanted []hookgate.Agent) (u *hooked.User, done func() error, err error) {
	u = &hooked.User{
		Home: p.Home, Program: p.Program, Getenv: app.Getenv, Env: p.Env, Now: app.Now, Client: p.Client, Wanted: wanted, Server: p.Address(), Log: p.Log(),
	}
	if c := p.Options.Config; c != nil && c.Hooks != nil {
		u.Project = c.Hooks.Workspace
	} else if !hookgate.Within(p.Home, p.Dir) {
		u.Project = p.Dir
	}
	if u.Work = u.Project; u.Work != "" {
		return u, func() error { return nil }, nil
	}
	// A session in the home folder, or above it, is refused by every hook.
	if u.Work, err = os.MkdirTemp("", "toolverdict-doctor-"); err != nil {
		return nil, nil, cli.Usage("make a folder: %v", err)
	}
	return u, func() error { return os.RemoveAll(u.Work) }, nil
}

// patient finds out which gate is meant.
func patient(app *cli.App, f *flags) (*ward.Patient, error) {
	p := &ward.Patient{
		Server: strings.TrimSuffix(f.server, "/"), Env: environment(),
		Client: &http.Client{
			Transport:     &http.Transport{Proxy: nil},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	var err error
	if p.Program, err = program(); err != nil {
		return nil, err
	}
	p.Home, _ = app.Getenv("HOME")
	if p.Dir, err = os.Getwd(); err != nil {
		return nil, cli.Usage("find this folder: %v", err)
	}
	if p.Key, err = keyIn("--key-file", f.keyFile); err != nil {
		return nil, err
	}
	admin, err := keyIn("--admin-key-file", f.adminKeyFile)
	if err != nil {
		return nil, err
	}
	p.Options = app.Options(nil)
	if err := gateOf(app, p); err != nil {
		return nil, err
	}
	if f.channels {
		p.TryChannels(admin)
	}
	return p, nil
}

// keyIn reads the API key of a flag, "" where it is not given.
func keyIn(flag, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", cli.Usage("read %s: %v", flag, err)
	}
	key := strings.TrimSpace(string(b))
	if key == "" {
		return "", cli.Usage("read %s: %s holds no key", flag, file)
	}
	return key, nil
}

// gateOf finds the configuration: the one that is named, that of the gate which runs on
// a data folder that is named, else the user's own. What lies in the present folder,
// which may be anybody's project, is not taken: servers are started by it. Without any,
// there is what hooks keep that need none.
func gateOf(app *cli.App, p *ward.Patient) error {
	own := filepath.Join(app.ConfigFolder, "toolverdict")
	data := app.Data
	if v, ok := app.Getenv("TOOLVERDICT_DATA"); ok && data == "" {
		data = v
	}
	named := app.Config
	if v, ok := app.Getenv("TOOLVERDICT_CONFIG"); ok && named == "" {
		named = v
	}
	if named == "" && data != "" {
		named = ward.ConfigurationOf(data)
		app.Config = named
	}
	var err error
	switch _, missing := os.Stat(filepath.Join(own, cli.ConfigHere)); {
	case named != "", data == "" && missing == nil && p.Server == "":
		p.Options.Config, err = app.OwnConfiguration()
	case data != "":
		p.Data, err = filepath.Abs(data)
	case cli.IsFolder(filepath.Join(own, "hook-data")) && p.Server == "":
		p.Data = filepath.Join(own, "hook-data")
	}
	if err != nil {
		return err
	}
	if p.Options.Config != nil {
		p.Data = p.Options.Config.Data
	}
	return nil
}

// logs are the data folders of gates that may have decided what agents did: the one
// that is looked at, those of the agents' hooks, and that of hooks that need no
// configuration.
func logs(app *cli.App, p *ward.Patient, u *hooked.User) []string {
	var out []string
	for _, folder := range append([]string{p.Data, filepath.Join(app.ConfigFolder, "toolverdict", "hook-data")}, u.Folders()...) {
		if folder != "" && cli.IsFolder(folder) && !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out
}

// program is where this program is, as whoever started it found it.
func program() (string, error) {
	if at, err := exec.LookPath(os.Args[0]); err == nil {
		if at, err = filepath.Abs(at); err == nil {
			return at, nil
		}
	}
	at, err := os.Executable()
	if err != nil {
		return "", cli.Usage("find this program: %v", err)
	}
	return at, nil
}

// environment is what agents and clients would start the gate with: without what is
// said to this command.
func environment() []string {
	var out []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TOOLVERDICT_") {
			out = append(out, v)
		}
	}
	return out
}
