// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookcmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"runtime/debug"
	"strconv"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon/hooks"
	"github.com/toolverdict/toolverdict/policy"
)

// memory is when this process, which lives for one answer, begins to collect
// garbage at all.
const memory = 256 << 20

// local asks a gate in this process.
func (h *hook) local(ctx context.Context, input []byte) answer {
	debug.SetMemoryLimit(memory)
	debug.SetGCPercent(-1)
	conf, files, err := h.configuration()
	if err != nil {
		return answer{fault: err}
	}
	gate, err := hooks.Open(ctx, hooks.Options{Config: conf, Policies: files, Unattended: h.unattended(), Now: h.app.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return answer{fault: err}
	}
	text, fault := gate.Answer(ctx, h.agent, input)
	if err := gate.Close(); err != nil && fault == nil {
		fault = err // what was decided is durable: the answer stands
	}
	return answer{text, fault}
}

// configuration is what a gate in this process is made of. It is never one that
// lies in the folder in which the agent works: the agent can write it.
func (h *hook) configuration() (*config.Config, []policy.File, error) {
	if err := h.environment(); err != nil {
		return nil, nil, err
	}
	conf, err := h.own().OwnConfiguration()
	none := errors.Is(err, cli.ErrNoConfiguration)
	if err != nil && !none {
		return nil, nil, err
	}
	home := h.variable("HOME")
	if none {
		if conf, err = builtIn(h.app.ConfigFolder, home); err != nil {
			return nil, nil, err
		}
		if data := h.app.Data; data != "" {
			conf.Data = data
		}
	}
	if err := h.workspace(conf); err != nil {
		return nil, nil, err
	}
	if h.flags.wait > 0 {
		conf.Hooks.Wait = h.flags.wait
	}
	if !none {
		return conf, nil, nil
	}
	files, err := builtInFor(conf.Hooks.Workspace, filepath.Clean(home))
	return conf, files, err
}

// own is the program without what the environment says of the gate: agents read
// files of the project, such as .env, into the environment of their hooks.
func (h *hook) own() *cli.App {
	own := *h.app
	own.Getenv = func(string) (string, bool) { return "", false }
	return &own
}

// environment refuses one that would choose another gate, or other rules, for every
// other command. To pass over it would leave a user with the built-in policy who
// meant another.
func (h *hook) environment() error {
	if h.app.Config != "" {
		return nil
	}
	for _, v := range []struct{ name, flag, given string }{
		{"TOOLVERDICT_URL", "--server", ""}, {"TOOLVERDICT_CONFIG", "--config", ""}, {"TOOLVERDICT_DATA", "--data", h.app.Data},
	} {
		if h.variable(v.name) != "" && v.given == "" {
			return fmt.Errorf("%s is set, which a project's files can do, too: say %s in the hook's command", v.name, v.flag)
		}
	}
	usual := filepath.Join(h.variable("HOME"), ".config")
	if other := h.variable("XDG_CONFIG_HOME"); other != "" && filepath.Clean(other) != usual {
		return errors.New("XDG_CONFIG_HOME is set, which a project's files can do, too: say --config in the hook's command")
	}
	return h.home()
}

// home refuses a home folder that a project brings along, with a configuration in it
// that names another workspace, and says so in the settings that come with it. Where
// the system knows the user by the same folder, it is the user's.
func (h *hook) home() error {
	home := followed(h.variable("HOME"))
	if u, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil && followed(u.HomeDir) == home {
		return nil
	}
	folder, err := h.project()
	if err != nil || filepath.Clean(folder) == "/" {
		folder = "" // one that is gone brings nothing along; where it is needed, that is told
	}
	if hookgate.Within(home, followed(folder)) {
		return errors.New("HOME lies in the folder of the project, whose files can bring that about: say --config in the hook's command")
	}
	return nil
}

// followed is where the links of a path lead.
func followed(path string) string {
	if path == "" {
		return ""
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return filepath.Clean(path)
}

// workspace says where the agent works: what the command line says, else the
// configuration, else the folder of the project as the agent tells its hooks, else
// the folder in which it started this command.
func (h *hook) workspace(conf *config.Config) error {
	if conf.Hooks != nil && h.flags.workspace == "" {
		return nil
	}
	folder, err := h.project()
	if err != nil {
		return err
	}
	if !filepath.IsAbs(folder) {
		return fmt.Errorf("the workspace %q is no absolute folder", folder)
	}
	if conf.Hooks == nil {
		conf.Hooks = &config.Hooks{Placed: conf.Placed, Agents: []string{string(h.agent)}}
	}
	conf.Hooks.Workspace = filepath.Clean(folder)
	return nil
}

// project is the folder in which the agent works, as far as it is told.
func (h *hook) project() (string, error) {
	if h.flags.workspace != "" {
		return h.flags.workspace, nil
	}
	if folder := h.variable(projectVariable(h.agent)); folder != "" {
		return folder, nil
	}
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the folder of the project: %w", err)
	}
	return folder, nil
}

// projectVariable names the folder of the project, which stays what it is while
// the agent changes its own.
func projectVariable(a hookgate.Agent) string {
	return map[hookgate.Agent]string{
		hookgate.ClaudeCode: "CLAUDE_PROJECT_DIR", hookgate.Gemini: "GEMINI_PROJECT_DIR",
		hookgate.Qwen:   "QWEN_PROJECT_DIR",
		hookgate.Cursor: "CURSOR_PROJECT_DIR", hookgate.OpenCode: "OPENCODE_PROJECT_DIR", // the plugin sets it
	}[a]
}

// unattended reports whether Claude Code says that nobody is at its run. It sets both
// itself for each hook, whatever a project's settings say of them (measured).
func (h *hook) unattended() bool {
	return h.agent == hookgate.ClaudeCode && h.flags.server == "" &&
		h.variable("CLAUDE_CODE_SESSION_ATTENDED") == "0" && h.variable("CLAUDE_CODE_ENTRYPOINT") == "sdk-cli"
}

func (h *hook) variable(name string) string {
	if name == "" {
		return ""
	}
	v, _ := h.app.Getenv(name)
	return v
}
