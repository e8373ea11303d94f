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
// newest first. A folder of an agent's may be a link; links below it are not followed,
// and those to folders are told: sessions may lie behind them. What the error tells is
// of one or more agents and may hide sessions; the files that were found count all
// the same.
func Find(p Place, agents []hookgate.Agent, since time.Time) ([]File, error) {
	var files []File
	var errs []error
	for _, k := range keepers() {
		if !slices.Contains(agents, k.agent) {
			continue
		}
		found, err := k.find(p, since)
		if err != nil {
			errs = append(errs, fmt.Errorf("look for transcripts of %s: %w", k.agent, err))
		}
		files = append(files, found...)
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(a.Path, b.Path)) })
	return files, errors.Join(errs...)
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
	root := k.root(p)
	w := &walk{kept: k, since: since, root: root}
	if w.root, err = filepath.EvalSymlinks(root); errors.Is(err, fs.ErrNotExist) && !dangles(root) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("follow %s: %w", root, err)
	}
	err = filepath.WalkDir(w.root, w.entry)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err == nil && w.links > 0 {
		err = fmt.Errorf("%d folders below %s are links and were not looked into, such as %s", w.links, root, w.link)
	}
	return w.files, err
}

// dangles reports whether a path is not there because a link on the way leads nowhere:
// what it led to may hold sessions.
func dangles(path string) bool {
	for ; path != filepath.Dir(path); path = filepath.Dir(path) {
		if info, err := os.Lstat(path); err == nil {
			return info.Mode()&fs.ModeSymlink != 0
		}
	}
	return false
}

// walk looks through one folder of an agent.
type walk struct {
	kept

	since time.Time
	root  string
	files []File
	n     int
	links int    // to folders
	link  string // the first of them
}

func (w *walk) entry(path string, d fs.DirEntry, err error) error {
	if w.n++; w.n > maxEntries {
		return fmt.Errorf("there are more than %d files below %s", maxEntries, w.root)
	}
	if err != nil {
		if d != nil && d.IsDir() && !errors.Is(err, fs.ErrNotExist) {
			return err // a folder that cannot be read hides sessions
		}
		return nil
	}
	if d.Type()&fs.ModeSymlink != 0 {
		// opencode keeps one database, and beside it copies of whatever it works on.
		if info, err := os.Stat(path); err == nil && info.IsDir() && w.agent != hookgate.OpenCode {
			if w.links++; w.links == 1 {
				w.link = path
			}
		}
		return nil
	}
	if !d.Type().IsRegular() || !slices.ContainsFunc(w.names, func(name string) bool { ok, _ := filepath.Match(name, d.Name()); return ok }) {
		return nil
	}
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && (w.agent == hookgate.OpenCode || !info.ModTime().Before(w.since)) { // what is new in a database may stand beside it
		w.files = append(w.files, File{w.agent, path, info.ModTime()})
	}
	return err
}
