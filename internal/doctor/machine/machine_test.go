// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package machine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/doctor/machine"
)

// worst is how bad the worst of some findings is, and all they say.
func worst(found []doctor.Finding) (doctor.Level, string) {
	r := doctor.Report{Findings: found}
	var said []string
	for _, f := range found {
		said = append(said, f.Text+" | "+f.Fix)
	}
	return r.Worst(), strings.Join(said, "\n")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(t *testing.T, dir string) machine.Folder
		bad  bool // worse than what the disk of the test says anyway
		want string
	}{
		"good": {func(t *testing.T, dir string) machine.Folder {
			return machine.Folder{Dir: dir, Workspace: dir + "/other"}
		}, false, ""},
		"others write": {func(t *testing.T, dir string) machine.Folder {
			must(t, os.Chmod(dir, 0o770))
			return machine.Folder{Dir: dir}
		}, true, "| chmod go-w "},
		"a file": {func(t *testing.T, dir string) machine.Folder {
			must(t, os.WriteFile(dir+"/f", nil, 0o600))
			return machine.Folder{Dir: dir + "/f"}
		}, true, "is not a folder"},
		"in the workspace": {func(t *testing.T, dir string) machine.Folder {
			return machine.Folder{Dir: dir, Workspace: filepath.Dir(dir)}
		}, true, "where agents work"},
		"in the workspace by a link": {func(t *testing.T, dir string) machine.Folder {
			link := filepath.Join(t.TempDir(), "link")
			must(t, os.Symlink(filepath.Dir(dir), link))
			return machine.Folder{Dir: dir, Workspace: link}
		}, true, "where agents work"},
		"anybody may replace it": {func(t *testing.T, dir string) machine.Folder {
			must(t, os.Chmod(filepath.Dir(dir), 0o777))
			return machine.Folder{Dir: dir}
		}, true, "anybody may write"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			must(t, os.Mkdir(dir, 0o700))
			level, said := worst(c.make(t, dir).Look(t.Context()))
			if (level == doctor.Failure) != c.bad || !strings.Contains(said, c.want) {
				t.Errorf("%s: %s", level, said)
			}
		})
	}
	if level, said := worst(machine.Folder{Dir: filepath.Join(t.TempDir(), "none")}.Look(t.Context())); level != doctor.Warning || !strings.Contains(said, "serve") {
		t.Errorf("no folder: %s: %s", level, said)
	}
	list := filepath.Join(t.TempDir(), "list")
	must(t, os.Mkdir(list, 0o700))
	must(t, os.Chmod(list, 0o755))
	if level, said := worst(machine.Folder{Dir: list}.Look(t.Context())); level != doctor.Warning || !strings.Contains(said, "chmod 700") {
		t.Errorf("others may list: %s: %s", level, said)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		level doctor.Level
		want  string
	}{
		"good":          {func(*testing.T, string) {}, doctor.OK, "4 files"},
		"no gate yet":   {func(t *testing.T, dir string) { must(t, os.Remove(dir+"/toolverdict.db")) }, doctor.Note, "no gate has run"},
		"no audit key":  {func(t *testing.T, dir string) { must(t, os.Remove(dir+"/audit.key")) }, doctor.Failure, "audit.key is missing"},
		"others read":   {func(t *testing.T, dir string) { must(t, os.Chmod(dir+"/audit.key", 0o640)) }, doctor.Failure, "| chmod 600 "},
		"others' agent": {func(t *testing.T, dir string) { must(t, os.Chmod(dir+"/keys/agent", 0o604)) }, doctor.Failure, "keys/agent"},
		"a link": {func(t *testing.T, dir string) {
			must(t, os.Rename(dir+"/audit.key", dir+"/other"))
			must(t, os.Symlink(dir+"/other", dir+"/audit.key"))
		}, doctor.Failure, "is not a plain file"},
		"short": {func(t *testing.T, dir string) { must(t, os.WriteFile(dir+"/redaction.key", []byte("x"), 0o600)) }, doctor.Failure, "has 1 bytes and not 32"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, os.Mkdir(dir+"/keys", 0o700))
			for _, file := range []string{"toolverdict.db", "audit.key", "redaction.key", "keys/agent"} {
				must(t, os.WriteFile(filepath.Join(dir, file), make([]byte, 32), 0o600))
			}
			c.spoil(t, dir)
			if level, said := worst(machine.Keys{Dir: dir}.Look(t.Context())); level != c.level || !strings.Contains(said, c.want) {
				t.Errorf("%s: %s", level, said)
			}
		})
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		now, latest time.Time
		err         error
		want        doctor.Level
	}{
		"no record":  {now, time.Time{}, nil, doctor.Note},
		"in order":   {now, now.Add(-time.Hour), nil, doctor.Note},
		"just now":   {now, now.Add(time.Second), nil, doctor.Note},
		"backwards":  {now, now.Add(time.Minute), nil, doctor.Failure},
		"never set":  {time.Unix(0, 0), time.Time{}, nil, doctor.Failure},
		"unreadable": {now, time.Time{}, errors.New("damaged"), doctor.Unknown},
	} {
		check := machine.Clock{Now: func() time.Time { return c.now }, Latest: func(context.Context) (time.Time, error) { return c.latest, c.err }}
		level, said := worst(check.Look(t.Context()))
		if level == doctor.OK { // as the machine has it
			level = doctor.Note
		}
		if level != c.want {
			t.Errorf("%s: %s: %s", name, level, said)
		}
	}
}
