// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

// Places that commands look at where nothing is named.
const (
	ConfigHere  = "toolverdict.yaml"
	exampleData = ".data/orders"
)

// DataFolder is the data folder that client commands look into, "" for none.
func (a *App) DataFolder() string {
	if a.Data != "" {
		return a.Data
	}
	if v, ok := a.Getenv("TOOLVERDICT_DATA"); ok && v != "" {
		return v
	}
	if c, err := config.Load(ConfigHere); err == nil {
		return c.Data
	}
	if IsFolder(exampleData) {
		return exampleData
	}
	return ""
}

// IsFolder reports whether there is a folder at the path.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Configuration loads the file that the flags, the environment or this folder
// name; beside a gate, also that of the gate last served on the data folder.
func (a *App) Configuration(beside bool) (*config.Config, error) {
	path := a.ConfigPath(beside)
	if path == "" {
		return nil, Usage("no configuration: name one with --config FILE, or write %s here ('toolverdict config init' makes a start)", ConfigHere)
	}
	return a.load(path)
}

// OwnConfiguration is for programs that others start, in a folder of theirs: a
// client starts the gate in a project that may be anybody's, or that the agent
// itself can write to. What stands in that folder must not say what may run.
func (a *App) OwnConfiguration() (*config.Config, error) {
	path := a.Config
	if v, ok := a.Getenv("TOOLVERDICT_CONFIG"); path == "" && ok {
		path = v
	}
	own := filepath.Join(a.ConfigFolder, "toolverdict", ConfigHere)
	if _, err := os.Stat(own); path == "" && a.ConfigFolder != "" && err == nil {
		path = own
	}
	if path == "" {
		return nil, noConfiguration(filepath.Dir(own))
	}
	return a.load(path)
}

// ErrNoConfiguration says that nobody named a configuration and the user has none.
var ErrNoConfiguration = errors.New("no configuration")

func noConfiguration(own string) error {
	return &Error{ExitUsage, "no configuration: name one with --config FILE, or make your own: toolverdict config init " + own, ErrNoConfiguration}
}

func (a *App) load(path string) (*config.Config, error) {
	c, err := config.Load(path)
	if err != nil {
		return nil, Usage("%v", err)
	}
	data := a.Data
	if v, ok := a.Getenv("TOOLVERDICT_DATA"); data == "" && ok {
		data = v
	}
	if data != "" {
		if c.Data, err = filepath.Abs(data); err != nil {
			return nil, Usage("--data: %v", err)
		}
	}
	return c, nil
}

// ConfigPath is the configuration to load, "" where none is named or found.
func (a *App) ConfigPath(beside bool) string {
	if a.Config != "" {
		return a.Config
	}
	if v, ok := a.Getenv("TOOLVERDICT_CONFIG"); ok && v != "" {
		return v
	}
	if _, err := os.Stat(ConfigHere); err == nil {
		return ConfigHere
	}
	if data := a.DataFolder(); beside && data != "" {
		if served, err := daemon.ReadServed(data); err == nil && len(served) > 0 {
			if a.Data == "" {
				a.Data = data
			}
			return served[0].Config
		}
	}
	return ""
}

// Options are those of work on the gate's files without a log.
func (a *App) Options(conf *config.Config) daemon.Options {
	return daemon.Options{Config: conf, Version: a.Version, Log: slog.New(slog.DiscardHandler), Getenv: a.Getenv, Now: a.Now}
}
