// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolverdict/toolverdict/httpgate/client"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

// Places that commands look at where nothing is named.
const (
	configHere  = "toolverdict.yaml"
	exampleData = ".data/orders"
	usualURL    = "http://127.0.0.1:8711"
)

// dataFolder is the data folder that client commands look into, "" for none.
func (a *app) dataFolder() string {
	if a.data != "" {
		return a.data
	}
	if v, ok := a.getenv("TOOLVERDICT_DATA"); ok && v != "" {
		return v
	}
	if c, err := config.Load(configHere); err == nil {
		return c.Data
	}
	if isFolder(exampleData) {
		return exampleData
	}
	return ""
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// client connects to the gate that the flags, the environment or the data
// folder name.
func (a *app) client() (*client.Client, error) {
	data := a.dataFolder()
	at, err := a.address(data)
	if err != nil {
		return nil, err
	}
	key, err := a.credential(data)
	if err != nil {
		return nil, err
	}
	if u, err := url.Parse(at); err == nil && u.Scheme == "http" && !config.Loopback(u.Hostname()) {
		fmt.Fprintln(a.stderr, "toolverdict: warning: the key travels unencrypted to another machine: put TLS in front of the gate")
	}
	c, err := client.New(at, key)
	if err != nil {
		return nil, usage("%v", err)
	}
	return c, nil
}

func (a *app) address(data string) (string, error) {
	if a.url != "" {
		return a.url, nil
	}
	if v, ok := a.getenv("TOOLVERDICT_URL"); ok && v != "" {
		return v, nil
	}
	if data == "" {
		return usualURL, nil
	}
	served, err := daemon.ReadServed(data)
	if err != nil {
		return "", usage("%v", err)
	}
	if len(served) == 0 {
		return usualURL, nil
	}
	return served[0].URL, nil
}

// credential is the key to send: what the flags say wins over the environment,
// and that over the subject that the command usually speaks as.
func (a *app) credential(data string) (string, error) {
	if a.key != "" {
		return a.key, nil
	}
	who := a.as
	if who == "" {
		if v, ok := a.getenv("TOOLVERDICT_KEY"); ok && v != "" {
			return v, nil
		}
		who = a.usually
	}
	if data == "" {
		return "", usage("no key: set TOOLVERDICT_KEY, or name the gate's data folder with --data to use a key that an example made")
	}
	if who != filepath.Base(who) || strings.HasPrefix(who, ".") {
		return "", usage("--as: the id of a subject is wanted")
	}
	b, err := os.ReadFile(filepath.Join(data, "keys", who))
	if errors.Is(err, fs.ErrNotExist) {
		return "", usage("there is no key of %q in %s%s: set TOOLVERDICT_KEY, name another subject with --as, or give it keys: [{example: true}] in the configuration and start the gate",
			who, filepath.Join(data, "keys"), keysThere(data))
	}
	if err != nil {
		return "", usage("read key of %q: %v", who, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// keysThere names the subjects whose keys are in a data folder.
func keysThere(data string) string {
	entries, err := os.ReadDir(filepath.Join(data, "keys"))
	if err != nil || len(entries) == 0 {
		return ""
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return " (there are: " + strings.Join(names, ", ") + ")"
}

// configuration loads the file that the flags, the environment or this folder
// name; beside a gate, also that of the gate last served on the data folder.
func (a *app) configuration(beside bool) (*config.Config, error) {
	path := a.configPath(beside)
	if path == "" {
		return nil, usage("no configuration: name one with --config FILE, or write %s here ('toolverdict config init' makes a start)", configHere)
	}
	return a.load(path)
}

// ownConfiguration is for programs that others start, in a folder of theirs: a
// client starts the gate in a project that may be anybody's, or that the agent
// itself can write to. What stands in that folder must not say what may run.
func (a *app) ownConfiguration() (*config.Config, error) {
	path := a.config
	if v, ok := a.getenv("TOOLVERDICT_CONFIG"); path == "" && ok {
		path = v
	}
	own := filepath.Join(a.configFolder, "toolverdict", configHere)
	if _, err := os.Stat(own); path == "" && a.configFolder != "" && err == nil {
		path = own
	}
	if path == "" {
		return nil, usage("no configuration: name one with --config FILE, or make your own: toolverdict config init %s", filepath.Dir(own))
	}
	return a.load(path)
}

func (a *app) load(path string) (*config.Config, error) {
	c, err := config.Load(path)
	if err != nil {
		return nil, usage("%v", err)
	}
	data := a.data
	if v, ok := a.getenv("TOOLVERDICT_DATA"); data == "" && ok {
		data = v
	}
	if data != "" {
		if c.Data, err = filepath.Abs(data); err != nil {
			return nil, usage("--data: %v", err)
		}
	}
	return c, nil
}

func (a *app) configPath(beside bool) string {
	if a.config != "" {
		return a.config
	}
	if v, ok := a.getenv("TOOLVERDICT_CONFIG"); ok && v != "" {
		return v
	}
	if _, err := os.Stat(configHere); err == nil {
		return configHere
	}
	if data := a.dataFolder(); beside && data != "" {
		if served, err := daemon.ReadServed(data); err == nil && len(served) > 0 {
			if a.data == "" {
				a.data = data
			}
			return served[0].Config
		}
	}
	return ""
}

// fullName finds the one tool that a short name means. A name that is none, or
// several, goes to the gate as it is: the gate says what is wrong, and records
// it.
func fullName(ctx context.Context, c *client.Client, name string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	tools, err := c.Tools(ctx, true)
	if err != nil {
		return "", err
	}
	var found []string
	for _, t := range tools {
		if _, own, _ := strings.Cut(t.Name, "/"); own == name {
			found = append(found, t.Name)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return name, nil
	}
	return "", usage("several servers have a tool of this name: use one of %s", strings.Join(found, ", "))
}
