// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package machine checks what the machine gives a gate: the disk under its data
// folder, whose the files there are, and the clock. It opens no database and
// changes nothing.
package machine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/store/sqlite/disk"
)

// Folder checks the data folder.
type Folder struct {
	Dir       string // absolute
	Workspace string // where agents work, "" for nowhere
}

// Name implements [doctor.Check].
func (Folder) Name() string { return "data-folder" }

// Looks implements [doctor.Check].
func (Folder) Looks() string { return "whose the data folder is, and what disk it is on" }

// Free space, in bytes: below the first the gate will soon refuse every call,
// because none can be recorded.
const (
	tooLittle = 64 << 20
	little    = 512 << 20
)

// Look implements [doctor.Check].
func (f Folder) Look(context.Context) []doctor.Finding {
	info, err := os.Stat(f.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return doctor.Warned("toolverdict serve --config FILE, or the first call of a hook, makes it", "there is no data folder %s yet: no gate has run with it", f.Dir)
	case err != nil:
		return doctor.Unseen("", "look at the data folder: %v", err)
	case !info.IsDir():
		return doctor.Failed("name a folder of its own under data: in the configuration", "%s is not a folder", f.Dir)
	}
	found := f.owner(info)
	found = append(found, f.above()...)
	if f.Workspace != "" && hookgate.Within(hookgate.Resolved(f.Dir), hookgate.Resolved(f.Workspace)) {
		found = append(found, doctor.Failed("move it, and name the new place under data: in the configuration",
			"it lies in %s, where agents work and can write", f.Workspace)...)
	}
	d, err := diskOf(f.Dir)
	if err != nil {
		return append(found, doctor.Unseen("", "look at the disk of %s: %v", f.Dir, err)...)
	}
	found = append(found, d.findings(f.Dir)...)
	if len(found) == 0 {
		return doctor.Good("%s is the gate's own, on %s with %s free", f.Dir, d.kind, size(d.free))
	}
	return found
}

func (f Folder) owner(info fs.FileInfo) []doctor.Finding {
	mode := info.Mode().Perm()
	switch {
	case mode&0o022 != 0:
		return doctor.Failed("chmod go-w "+f.Dir, "others may write to %s: they can put another database in the place of the gate's", f.Dir)
	case !disk.Owned(info) && os.Geteuid() == 0:
		return doctor.Noted("%s belongs to another user than this one: run doctor as the user of the gate to see what it sees", f.Dir)
	case !disk.Owned(info):
		return doctor.Failed("run this as the user of the gate, or give the folder to it: chown -R USER "+f.Dir, "%s belongs to another user", f.Dir)
	case mode&0o055 != 0:
		return doctor.Warned("chmod 700 "+f.Dir, "others may list the names of the files in %s", f.Dir)
	}
	return nil
}

// above looks for a folder over this one in which somebody else could put another
// in its place.
func (f Folder) above() []doctor.Finding {
	for at := filepath.Dir(hookgate.Resolved(f.Dir)); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil && info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return doctor.Failed("chmod o-w "+at, "anybody may write to %s, and so put another folder in the place of %s", at, f.Dir)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// space is the disk that a folder is on.
type space struct {
	kind      string // of file system
	free      uint64 // bytes
	shared    bool   // other machines may have it too
	forgetful bool   // it is empty after the next start of the machine
}

func (d space) findings(dir string) []doctor.Finding {
	var found []doctor.Finding
	if d.shared {
		found = append(found, doctor.Failed("move it to a disk of this machine, and name the new place under data: in the configuration",
			"%s is on a network file system (%s): locks do not hold there, so that two gates may run one call", dir, d.kind)...)
	}
	if d.forgetful {
		found = append(found, doctor.Warned("move it to a disk, and name the new place under data: in the configuration",
			"%s is in memory (%s): after a restart of the machine nobody knows what ran, and it may run again", dir, d.kind)...)
	}
	switch {
	case d.free < tooLittle:
		found = append(found, doctor.Failed("free space on the disk of "+dir, "only %s are free: calls that cannot be recorded are denied", size(d.free))...)
	case d.free < little:
		found = append(found, doctor.Warned("free space on the disk of "+dir, "only %s are free", size(d.free))...)
	}
	return found
}

func size(bytes uint64) string {
	const unit = 1 << 20
	if bytes < 10<<30 {
		return fmt.Sprintf("%d MiB", bytes/unit)
	}
	return fmt.Sprintf("%d GiB", bytes>>30)
}
