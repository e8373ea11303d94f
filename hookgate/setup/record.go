// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/toolverdict/toolverdict/hookgate"
)

// recordVersion is that of the form of records.
const recordVersion = 1

// record is what an installation changed, for its undoing: the backup.
type record struct {
	Version int            `json:"version"`
	Agent   hookgate.Agent `json:"agent"`
	Program string         `json:"program,omitempty"`
	Files   []kept         `json:"files"`
}

// kept is a file before the entry was written.
type kept struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"`
	Before  []byte `json:"before"`
	After   string `json:"after"` // digest of what was written
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Own is the user's folder of the gate: what is kept there is not the agent's to
// read or to change.
func (p *Place) own() string { return filepath.Join(p.Home, ".config", "toolverdict") }

// recordPath is where the backup for a place is kept.
func (p *Place) recordPath() string {
	name := string(p.Agent) + "-" + string(p.Scope)
	if p.Scope == Project {
		name += "-" + digest(p.Project)[:16]
	} else if p.Folder != "" {
		name += "-" + digest(p.Folder)[:16]
	}
	return filepath.Join(p.own(), "hook-backups", name+".json")
}

// record reads the backup; nil where there is none, or none that can be relied on:
// the entry is then known by its form.
func (p *Place) record() *record {
	b, err := os.ReadFile(p.recordPath())
	var r record
	if err != nil || json.Unmarshal(b, &r) != nil || r.Version != recordVersion || r.Agent != p.Agent {
		return nil
	}
	return &r
}

// find is what is known of a file.
func (r *record) find(path string) *kept {
	if r == nil {
		return nil
	}
	at := slices.IndexFunc(r.Files, func(k kept) bool { return k.Path == path })
	if at < 0 {
		return nil
	}
	return &r.Files[at]
}

// untouched is what is known of a file that nobody changed since.
func (r *record) untouched(f *File) *kept {
	if k := r.find(f.Path); k != nil && f.existed && k.After == digest(f.Before) {
		return k
	}
	return nil
}

// programs are those that are known to be the gate's, and these.
func (r *record) programs(more ...string) []string {
	if r != nil {
		more = append(more, r.Program)
	}
	return slices.DeleteFunc(more, func(program string) bool { return program == "" })
}
