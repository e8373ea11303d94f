// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup/internal/difftext"
	"github.com/toolverdict/toolverdict/hookgate/setup/internal/userfile"
)

// File is one that changes.
type File struct {
	Path          string // as links lead to it
	Before, After string
	Gone          bool // it is taken away: it was made for the entry alone

	existed bool
	mode    fs.FileMode
}

// Change is what an installation or its undoing changes. The zero Change changes
// nothing.
type Change struct {
	Files []File

	place  Place
	record *record // nil: that of the place goes away
}

// Empty reports whether all is as it should be already.
func (c *Change) Empty() bool { return len(c.Files) == 0 }

// Diff shows the change of every file, fit for a terminal.
func (c *Change) Diff() string {
	var b strings.Builder
	for _, f := range c.Files {
		from, to := f.Path, f.Path
		if !f.existed {
			from = "/dev/null"
		}
		if f.Gone {
			to = "/dev/null"
		}
		b.WriteString(difftext.Unified(from, to, f.Before, f.After))
	}
	return b.String()
}

// open reads a file that may not be there. Links are followed, but for a project's
// out of the project: whoever wrote that chose what they lead to.
func (p *Place) open(form form) (File, error) {
	f := File{Path: form.path, mode: 0o600}
	if form.whole != nil && strings.HasSuffix(form.path, "Use") {
		f.mode = 0o700 // a script
	}
	at, err := userfile.Resolve(form.path)
	if err != nil {
		return f, fmt.Errorf("read %s: %w", form.path, err)
	}
	f.Path = at
	if p.Scope == Project {
		root, err := userfile.Resolve(p.Project)
		if err != nil {
			return f, fmt.Errorf("read %s: %w", p.Project, err)
		}
		if !hookgate.Within(at, root) {
			return f, fmt.Errorf("read %s: a link of the project leads to %s: take the link away, or set the hook up for the user", form.path, at)
		}
	}
	b, mode, existed, err := userfile.Open(at)
	if err != nil {
		return f, err
	}
	if f.Before, f.existed = string(b), existed; existed {
		f.mode = mode
	}
	return f, nil
}

// Apply writes the change. First what there was is kept, in the user's folder of the
// gate. A file that changed since it was planned stops it, and what was written by
// then is taken back.
func (c *Change) Apply() error {
	if c.Empty() {
		return nil
	}
	if c.record != nil {
		b, err := json.Marshal(c.record)
		if err != nil {
			return fmt.Errorf("keep what there was: %w", err)
		}
		if err := userfile.Write(c.place.recordPath(), append(b, '\n'), 0o600, 0o700); err != nil {
			return fmt.Errorf("keep what there was: %w", err)
		}
	}
	for i := range c.Files {
		if err := c.Files[i].apply(); err != nil {
			for j := range c.Files[:i] {
				err = errors.Join(err, c.Files[j].restore())
			}
			return err
		}
	}
	if c.record == nil {
		if err := os.Remove(c.place.recordPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("take away what was kept: %w", err)
		}
	}
	return nil
}

func (f *File) apply() error {
	now, err := os.ReadFile(f.Path)
	if gone := errors.Is(err, fs.ErrNotExist); err != nil && !gone || gone == f.existed || string(now) != f.Before {
		return fmt.Errorf("write %s: it changed in the meantime, and is left as it is: try again", f.Path)
	}
	if f.Gone {
		if err := os.Remove(f.Path); err != nil {
			return fmt.Errorf("take away %s: %w", f.Path, err)
		}
		return nil
	}
	if err := userfile.Write(f.Path, []byte(f.After), f.mode, 0o755); err != nil {
		return fmt.Errorf("write %s: %w", f.Path, err)
	}
	return nil
}

func (f *File) restore() error {
	if !f.existed {
		return os.Remove(f.Path)
	}
	return userfile.Write(f.Path, []byte(f.Before), f.mode, 0o755)
}
