// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// Served tells commands on this machine where a gate is. It holds no secret.
type Served struct {
	URL    string    `json:"url"`
	Config string    `json:"config"`
	PID    int       `json:"pid"`
	Since  time.Time `json:"since"`
}

// servedFolder holds one file for each gate that is served on a data folder.
const servedFolder = "served"

// WriteServed leaves word in the data folder of where a gate is. It returns what
// takes the word back.
func WriteServed(data string, s Served) (remove func() error, err error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("leave the address: %w", err)
	}
	dir := filepath.Join(data, servedFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("leave the address: %w", err)
	}
	path := filepath.Join(dir, strconv.Itoa(s.PID)+".json")
	tmp := filepath.Join(dir, "."+strconv.Itoa(s.PID))
	if err := os.WriteFile(tmp, append(b, '\n'), 0o600); err != nil {
		return nil, fmt.Errorf("leave the address: %w", err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return nil, fmt.Errorf("leave the address: %w", err)
	}
	return func() error { return os.Remove(path) }, nil
}

// ReadServed finds the gates that are served on a data folder, newest first.
// Those that were killed left their word behind: they are left out.
func ReadServed(data string) ([]Served, error) {
	paths, err := filepath.Glob(filepath.Join(data, servedFolder, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("read where the gate is: %w", err)
	}
	var out []Served
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has just ended
		}
		var s Served
		if err == nil {
			err = json.Unmarshal(b, &s)
		}
		if err != nil {
			return nil, fmt.Errorf("read where the gate is: %w", err)
		}
		if alive(s.PID) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Served) int { return b.Since.Compare(a.Since) })
	return out, nil
}

// alive reports whether there is a process of this id.
func alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
