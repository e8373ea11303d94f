// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/disk"
)

// Keys checks the files of the data folder that nobody else may open.
type Keys struct {
	Dir string // the data folder
}

// Name implements [doctor.Check].
func (Keys) Name() string { return "keys" }

// Looks implements [doctor.Check].
func (Keys) Looks() string {
	return "whether the gate's keys and its database are there, and nobody else's"
}

// own are the files that nobody else may open; the first two must be there once a
// gate has run.
func own() []string {
	return []string{
		"toolverdict.db", "audit.key", "toolverdict.db-wal", "toolverdict.db-shm", "toolverdict.db-journal",
		secret.RedactionKey, secret.SealKey, secret.ChannelKey, "keys/*", "passwords/*",
	}
}

const needed = 2

// Look implements [doctor.Check].
func (k Keys) Look(context.Context) []doctor.Finding {
	if _, err := os.Stat(filepath.Join(k.Dir, own()[0])); errors.Is(err, fs.ErrNotExist) {
		return doctor.Noted("no gate has run on %s yet: there are no keys", k.Dir)
	}
	var found []doctor.Finding
	n := 0
	for i, pattern := range own() {
		files, err := filepath.Glob(filepath.Join(k.Dir, pattern))
		if err != nil {
			return doctor.Unseen("", "look for %s: %v", pattern, err)
		}
		if i < needed && len(files) == 0 {
			found = append(found, doctor.Failed("put it back from a copy, or start with a new data folder and keep this one as evidence",
				"%s is missing in %s: who took the key away could have changed the records, too", pattern, k.Dir)...)
		}
		for _, file := range files {
			n++
			found = append(found, one(file)...)
		}
	}
	for _, name := range []string{secret.RedactionKey, secret.SealKey, secret.ChannelKey} {
		info, err := os.Stat(filepath.Join(k.Dir, name))
		if err == nil && info.Size() != secret.KeySize {
			found = append(found, doctor.Failed("restore it, or remove it to have a new one made",
				"%s has %d bytes and not %d", filepath.Join(k.Dir, name), info.Size(), secret.KeySize)...)
		}
	}
	if len(found) == 0 {
		return doctor.Good("%d files, each the gate's alone", n)
	}
	return slices.Clip(found)
}

func one(file string) []doctor.Finding {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist): // a gate has just taken it away
		return nil
	case err != nil:
		return doctor.Unseen("", "look at %s: %v", file, err)
	case !info.Mode().IsRegular():
		return doctor.Failed("put the file itself there", "%s is not a plain file", file)
	case info.Mode().Perm()&0o077 != 0:
		return doctor.Failed("chmod 600 "+file+", and think of what it holds as known", "others may open %s", file)
	case !disk.Owned(info) && os.Geteuid() != 0:
		return doctor.Failed("run the gate as the user whose it is", "%s belongs to another user", file)
	}
	return nil
}
