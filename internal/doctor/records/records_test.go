// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package records_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/doctor/records"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

func at() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// folder is a data folder with a few records.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Node: "n", Now: at})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := s.Commit(t.Context(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordAdmin, At: at(), Detail: "d"}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func change(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "toolverdict.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	type checks []doctor.Check
	all := func(dir string) checks {
		return checks{records.Store{Dir: dir}, records.Log{Dir: dir}, records.Waiting{Dir: dir, Now: at}}
	}
	for name, c := range map[string]struct {
		spoil               func(t *testing.T, dir string)
		store, log, waiting doctor.Level
		want                string
	}{
		"good":    {func(*testing.T, string) {}, doctor.OK, doctor.OK, doctor.OK, "3 records verify, 3 of them under a signature"},
		"no gate": {func(t *testing.T, dir string) { remove(t, dir, "toolverdict.db") }, doctor.Note, doctor.Note, doctor.Note, "no gate has run"},
		"changed record": {func(t *testing.T, dir string) {
			change(t, dir, `DROP TRIGGER records_stay; UPDATE records SET leaf = CAST(replace(CAST(leaf AS TEXT), '"d"', '"e"') AS BLOB) WHERE seq = 1`)
		}, doctor.OK, doctor.Failure, doctor.OK, "does not verify"},
		"newer": {func(t *testing.T, dir string) {
			change(t, dir, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
		}, doctor.Failure, doctor.OK, doctor.OK, "version 999"},
		"older": {func(t *testing.T, dir string) {
			change(t, dir, `DELETE FROM goose_db_version WHERE version_id > 5`)
		}, doctor.Note, doctor.OK, doctor.OK, "it has version 5"},
		"not a database": {func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "toolverdict.db"), []byte(strings.Repeat("not a database\n", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, doctor.Failure, doctor.Failure, doctor.Failure, "damaged"},
		"no public key": {func(t *testing.T, dir string) { remove(t, dir, "audit.pub") }, doctor.OK, doctor.Failure, doctor.OK, "no readable audit.pub"},
		"keys of two pairs": {func(t *testing.T, dir string) {
			other, err := os.ReadFile(filepath.Join(folder(t), "audit.key"))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "audit.key"), other, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, doctor.OK, doctor.Failure, doctor.OK, "not of one pair"},
		"unknown outcome": {func(t *testing.T, dir string) {
			change(t, dir, `INSERT INTO claims (key, epoch, state, node, updated, deadline, body) VALUES ('k', 1, 'unknown', 'n', 5000000, 0, x'')`)
		}, doctor.OK, doctor.OK, doctor.Warning, "what came of 1 calls"},
		"left waiting": {func(t *testing.T, dir string) {
			change(t, dir, `INSERT INTO approvals (id, version, state, digest, created, expires, body) VALUES ('a', 1, 'pending', '', 7000000, 0, x'')`)
		}, doctor.OK, doctor.OK, doctor.Warning, "1970-01-01T00:00:07Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			c.spoil(t, dir)
			var got []doctor.Level
			var said strings.Builder
			for _, check := range all(dir) {
				r := doctor.Report{Findings: check.Look(t.Context())}
				got = append(got, r.Worst())
				for _, f := range r.Findings {
					said.WriteString(f.Text + "\n")
				}
			}
			if want := []doctor.Level{c.store, c.log, c.waiting}; got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || !strings.Contains(said.String(), c.want) {
				t.Errorf("%v, want %v: %s", got, want, &said)
			}
		})
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func TestLatest(t *testing.T) {
	t.Parallel()
	if got, err := records.Latest(t.Context(), folder(t)); err != nil || !got.Equal(at()) {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := records.Latest(t.Context(), t.TempDir()); err != nil || !got.IsZero() {
		t.Errorf("%s, %v", got, err)
	}
}
