// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/hookgate"
)

// Place is where agents keep their sessions: below a home folder, or where a variable
// says.
type Place struct {
	Home   string
	Getenv func(string) (string, bool) // nil where only the folder counts
}

// kept says where an agent keeps its sessions.
type kept struct {
	agent    hookgate.Agent
	variable string // names the first folder in the place of the one below the home folder
	folder   string
	below    string
	names    []string // patterns of names of files
}

func keepers() []kept {
	return []kept{
		{hookgate.ClaudeCode, "CLAUDE_CONFIG_DIR", ".claude", "projects", []string{"*.jsonl"}},
		{hookgate.Codex, "CODEX_HOME", ".codex", "sessions", []string{"rollout-*.jsonl"}},
		{hookgate.Codex, "CODEX_HOME", ".codex", "archived_sessions", []string{"rollout-*.jsonl"}},
		{hookgate.Gemini, "GEMINI_CLI_HOME", ".gemini", "tmp", []string{"session-*.jsonl", "session-*.json"}},
		{hookgate.Qwen, "QWEN_HOME", ".qwen", "projects", []string{"*.jsonl"}},
		{hookgate.Copilot, "COPILOT_HOME", ".copilot", "session-state", []string{"events.jsonl"}},
		{hookgate.OpenCode, "XDG_DATA_HOME", ".local/share", "opencode", []string{"opencode.db"}},
		{hookgate.Cline, "", ".cline", "data/sessions", []string{"*.messages.json"}},
	}
}

// Agents are those whose sessions can be read.
func Agents() []hookgate.Agent {
	var out []hookgate.Agent
	for _, k := range keepers() {
		if !slices.Contains(out, k.agent) {
			out = append(out, k.agent)
		}
	}
	return out
}

// maxEntries bounds how much of a folder is looked through.
const maxEntries = 200_000

// Find finds the transcripts of these agents that were written to since a time,
// newest first. Links are not followed.
func Find(p Place, agents []hookgate.Agent, since time.Time) ([]File, error) {
	var files []File
	for _, k := range keepers() {
		if !slices.Contains(agents, k.agent) {
			continue
		}
		found, err := k.find(p, since)
		if err != nil {
			return nil, fmt.Errorf("look for transcripts of %s: %w", k.agent, err)
		}
		files = append(files, found...)
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(a.Path, b.Path)) })
	return files, nil
}

// Kept reports whether there is a folder in which some agent keeps transcripts.
func Kept(p Place) bool {
	return slices.ContainsFunc(keepers(), func(k kept) bool {
		info, err := os.Stat(k.root(p))
		return err == nil && info.IsDir()
	})
}

// root is where an agent keeps its sessions.
func (k kept) root(p Place) string {
	if p.Getenv != nil && k.variable != "" {
		if v, ok := p.Getenv(k.variable); ok && filepath.IsAbs(v) {
			if k.agent == hookgate.Gemini { // it is taken for the home folder
				v = filepath.Join(v, k.folder)
			}
			return filepath.Join(v, k.below)
		}
	}
	return filepath.Join(p.Home, k.folder, k.below)
}

func (k kept) find(p Place, since time.Time) (files []File, err error) {
	root, n := k.root(p), 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if n++; n > maxEntries {
			return fmt.Errorf("there are more than %d files below %s", maxEntries, root)
		}
		if err != nil {
			if d != nil && d.IsDir() && !errors.Is(err, fs.ErrNotExist) {
				return err // a folder that cannot be read hides sessions
			}
			return nil
		}
		if !d.Type().IsRegular() || !slices.ContainsFunc(k.names, func(name string) bool { ok, _ := filepath.Match(name, d.Name()); return ok }) {
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && (k.agent == hookgate.OpenCode || !info.ModTime().Before(since)) { // what is new in a database may stand beside it
			files = append(files, File{k.agent, path, info.ModTime()})
		}
		return err
	})
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return files, err
}
