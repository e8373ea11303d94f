// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite_test

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// TestExamine: what is asked of a database is told of one in use, without changing
// it; a damaged one says so.
func TestExamine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Node: "n", Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	for range 40 { // more than one page
		if err := s.Commit(t.Context(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordAdmin, At: at, Detail: string(bytes.Repeat([]byte("x"), 2000))}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "toolverdict.db")
	damageFile(t, path, `INSERT INTO claims (key, epoch, state, node, updated, deadline, body) VALUES ('k', 1, 'unknown', 'n', 5000000, 0, x''), ('l', 1, 'succeeded', 'n', 1000000, 0, x'')`)
	damageFile(t, path, `INSERT INTO approvals (id, version, state, digest, created, expires, body) VALUES ('a', 1, 'pending', '', 7000000, 0, x''), ('b', 1, 'done', '', 2000000, 0, x'')`)
	if e := examined(t, dir); e.Schema != e.Knows || e.Knows < 7 || len(e.Damage) > 0 {
		t.Errorf("%+v", e)
	}
	v, err := sqlite.OpenLog(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	latest, err := v.Latest(t.Context())
	if err != nil || !latest.Equal(at) {
		t.Errorf("%s, %v", latest, err)
	}
	unknown, waiting, err := v.Backlogs(t.Context())
	if err != nil || unknown.Count != 1 || unknown.Oldest.Unix() != 5 || waiting.Count != 1 || waiting.Oldest.Unix() != 7 {
		t.Errorf("%+v, %+v, %v", unknown, waiting, err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	damageFile(t, path, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
	if e := examined(t, dir); e.Schema != 999 {
		t.Errorf("schema %d", e.Schema)
	}
	// An index that knows of an entry which is not there.
	damageFile(t, path, `PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = 'CREATE INDEX claims_state ON claims (updated, state)' WHERE name = 'claims_state'`)
	if e := examined(t, dir); len(e.Damage) == 0 {
		t.Error("an index that does not fit its table is no damage")
	}
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	if v, err := sqlite.OpenLog(t.Context(), dir); err == nil {
		if _, err := v.Examine(t.Context()); err == nil {
			t.Error("a database that was cut off is no damage")
		}
		if err := v.Close(); err != nil {
			t.Log(err)
		}
	}
}

func examined(t *testing.T, dir string) sqlite.Examined {
	t.Helper()
	v, err := sqlite.OpenLog(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := v.Examine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	return e
}

func damageFile(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=writable_schema(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}
