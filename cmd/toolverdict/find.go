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

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/httpgate/client"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

// usualURL is the gate that client commands speak to where nothing is named.
const usualURL = "http://127.0.0.1:8711"

// client connects to the gate that the flags, the environment or the data
// folder name.
func (a *app) client() (*client.Client, error) {
	data := a.DataFolder()
	at, err := a.address(data)
	if err != nil {
		return nil, err
	}
	key, err := a.credential(data)
	if err != nil {
		return nil, err
	}
	if u, err := url.Parse(at); err == nil && u.Scheme == "http" && !config.Loopback(u.Hostname()) && !a.warned {
		a.warned = true
		fmt.Fprintln(a.Stderr, "toolverdict: warning: the key travels unencrypted to another machine: put TLS in front of the gate")
	}
	c, err := client.New(at, key)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	return c, nil
}

func (a *app) address(data string) (string, error) {
	if a.url != "" {
		return a.url, nil
	}
	if v, ok := a.Getenv("TOOLVERDICT_URL"); ok && v != "" {
		return v, nil
	}
	if data == "" {
		return usualURL, nil
	}
	served, err := daemon.ReadServed(data)
	if err != nil {
		return "", cli.Usage("%v", err)
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
		if v, ok := a.Getenv("TOOLVERDICT_KEY"); ok && v != "" {
			return v, nil
		}
		who = a.usually
	}
	if data == "" {
		return "", cli.Usage("no key: set TOOLVERDICT_KEY, or name the gate's data folder with --data to use a key that an example made")
	}
	if who != filepath.Base(who) || strings.HasPrefix(who, ".") {
		return "", cli.Usage("--as: the id of a subject is wanted")
	}
	b, err := os.ReadFile(filepath.Join(data, "keys", who))
	if errors.Is(err, fs.ErrNotExist) {
		return "", cli.Usage("there is no key of %q in %s%s: set TOOLVERDICT_KEY, name another subject with --as, or give it keys: [{example: true}] in the configuration and start the gate",
			who, filepath.Join(data, "keys"), keysThere(data))
	}
	if err != nil {
		return "", cli.Usage("read key of %q: %v", who, err)
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
	return "", cli.Usage("several servers have a tool of this name: use one of %s", strings.Join(found, ", "))
}
