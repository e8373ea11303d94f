// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

var clock = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func still() time.Time { return clock }

func open(t testing.TB, dir, node string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir, Node: node, Now: still})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func shut(t testing.TB, s *sqlite.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, s *sqlite.Store, names ...string) {
	t.Helper()
	for _, name := range names {
		r := tv.Record{Kind: tv.RecordDecision, At: clock, CallID: name, Tool: "orders/query_order"}
		if err := s.Commit(context.Background(), tv.Changes{Records: []tv.Record{r}}); err != nil {
			t.Fatal(err)
		}
	}
}

// made is a folder with a store that was closed.
func made(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, "n1")
	write(t, s, "one", "two", "three")
	shut(t, s)
	return dir
}

func database(dir string) string { return filepath.Join(dir, "toolverdict.db") }

// meddle changes the database behind the store's back, triggers or not.
func meddle(t testing.TB, dir string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+database(dir))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range append([]string{"DROP TRIGGER records_stay", "DROP TRIGGER records_remain"}, statements...) {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// refused wants a folder not to open, with words that tell what to do.
func refused(t *testing.T, dir string, words ...string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Node: "n2", Now: still})
	if err == nil {
		shut(t, s)
		t.Fatal("it opened")
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error lacks %q: %v", word, err)
		}
	}
	if names, err := filepath.Glob(filepath.Join(dir, "nodes", "n2")); err != nil || len(names) > 0 {
		t.Errorf("a store that did not open left its node behind: %v %v", names, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string) error
		words []string
	}{
		"a database that others may read": {func(_ *testing.T, dir string) error {
			return os.Chmod(database(dir), 0o640)
		}, []string{"chmod 600"}},
		"a database that others may write": {func(_ *testing.T, dir string) error {
			return os.Chmod(database(dir), 0o602)
		}, []string{"chmod 600"}},
		"a link to a database": {func(_ *testing.T, dir string) error {
			return errors.Join(os.Rename(database(dir), dir+".db"), os.Symlink(dir+".db", database(dir)))
		}, []string{"links are not followed"}},
		"a link in the place of the write-ahead log": {func(_ *testing.T, dir string) error {
			return os.Symlink(dir+".wal", database(dir)+"-wal")
		}, []string{"links are not followed"}},
		"a folder that others may write to": {func(_ *testing.T, dir string) error {
			return os.Chmod(dir, 0o770)
		}, []string{"chmod go-w"}},
		"a file in the place of the folder": {func(_ *testing.T, dir string) error {
			return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600))
		}, []string{"data folder"}},
		"another program's database": {func(t *testing.T, dir string) error {
			meddle(t, dir, "PRAGMA application_id = 7")
			return nil
		}, []string{"another program"}},
		"a newer schema": {func(t *testing.T, dir string) error {
			meddle(t, dir, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
			return nil
		}, []string{"version 999", "newer toolverdict"}},
		"no database at all": {func(_ *testing.T, dir string) error {
			return os.WriteFile(database(dir), []byte(strings.Repeat("not a database. ", 999)), 0o600)
		}, []string{"damaged"}},
		"a log whose key is gone": {func(_ *testing.T, dir string) error {
			return os.Remove(filepath.Join(dir, audit.KeyFile))
		}, []string{audit.KeyFile, "missing"}},
		"a log of another key": {func(_ *testing.T, dir string) error {
			if err := errors.Join(os.Remove(filepath.Join(dir, audit.KeyFile)), os.Remove(filepath.Join(dir, audit.PublicFile))); err != nil {
				return err
			}
			_, err := audit.CreateKey(dir, "another/log", rand.Reader)
			return err
		}, []string{"not signed by another/log", "audit verify"}},
		"a log whose checkpoints are gone": {func(t *testing.T, dir string) error {
			meddle(t, dir, "DELETE FROM checkpoints")
			return nil
		}, []string{"checkpoints are gone", "audit verify"}},
		"a log that says it was never signed": {func(t *testing.T, dir string) error {
			meddle(t, dir, "DELETE FROM checkpoints", "UPDATE head SET signed = -1")
			return nil
		}, []string{"never signed"}},
		"a log that was cut below its checkpoint": {func(t *testing.T, dir string) error {
			meddle(t, dir, "DELETE FROM records WHERE seq = 2")
			return nil
		}, []string{"stored hashes do not lead"}},
		"a hash that was changed": {func(t *testing.T, dir string) error {
			meddle(t, dir, "UPDATE records SET hash = zeroblob(32) WHERE seq = 0")
			return nil
		}, []string{"stored hashes do not lead"}},
		"a head that was set back": {func(t *testing.T, dir string) error {
			meddle(t, dir, "UPDATE head SET size = 0, edge = x'', signed = 0", "DELETE FROM checkpoints WHERE size > 0")
			return nil
		}, []string{"does not end where its head says"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := made(t)
			if err := c.spoil(t, dir); err != nil {
				t.Fatal(err)
			}
			refused(t, dir, c.words...)
		})
	}
}

// TestOpenRefusesAnothersFile can only be tried by somebody who may give files
// away.
func TestOpenRefusesAnothersFile(t *testing.T) {
	t.Parallel()
	dir := made(t)
	if err := os.Chown(database(dir), 65534, 65534); err != nil {
		t.Logf("only root may give files away: %v", err)
		return
	}
	refused(t, dir, "another user")
}

func TestOpenNeedsItsParts(t *testing.T) {
	t.Parallel()
	for _, c := range []sqlite.Config{
		{Node: "n", Now: still}, {Dir: t.TempDir(), Now: still}, {Dir: t.TempDir(), Node: "n"},
		{Dir: t.TempDir(), Node: "../n", Now: still}, {Dir: t.TempDir(), Node: ".hidden", Now: still},
		{Dir: t.TempDir(), Node: "n", Now: still, Origin: "two words"},
	} {
		if s, err := sqlite.Open(t.Context(), c); err == nil {
			shut(t, s)
			t.Errorf("%+v opened", c)
		}
	}
}

func TestNodeNamesAreOfOneProcess(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first := open(t, dir, "n1")
	if s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Node: "n1", Now: still}); err == nil {
		shut(t, s)
		t.Error("two stores have one name")
	}
	shut(t, first)
	shut(t, open(t, dir, "n1"))
	// What crashed processes left is swept away.
	if err := os.WriteFile(filepath.Join(dir, "nodes", "crashed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	shut(t, open(t, dir, "n2"))
	if left, err := filepath.Glob(filepath.Join(dir, "nodes", "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// TestManyOpenAtOnce starts many stores on a folder that does not exist yet.
func TestManyOpenAtOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	stores := make([]*sqlite.Store, 8)
	var wg sync.WaitGroup
	for i := range stores {
		wg.Go(func() {
			s, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir, Node: "n" + string(rune('a'+i)), Now: still})
			if err != nil {
				t.Error(err)
				return
			}
			stores[i] = s
			write(t, s, "hello")
		})
	}
	wg.Wait()
	for _, s := range stores {
		if s != nil {
			shut(t, s)
		}
	}
	s := open(t, dir, "last")
	defer s.Close()
	if r := verified(t, s); r.Records != int64(len(stores)) {
		t.Errorf("got %d records, want %d", r.Records, len(stores))
	}
}

// TestSettings holds what durability rests on.
func TestSettings(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "data"), "n1")
	defer s.Close()
	for name, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "secure_delete": "1", "trusted_schema": "0", "busy_timeout": "5000",
	} {
		if got, err := s.Pragma(t.Context(), name); err != nil || got != want {
			t.Errorf("%s: got %q (%v), want %q", name, got, err, want)
		}
	}
}

func TestOriginIsKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	for _, origin := range []string{"example.com/gate-1", "", "example.com/other"} {
		s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Node: "n", Now: still, Origin: origin})
		if err != nil {
			t.Fatal(err)
		}
		if r := verified(t, s); r.Origin != "example.com/gate-1" {
			t.Errorf("the log is named %q", r.Origin)
		}
		shut(t, s)
	}
}

// TestStateMeddledWith reads entries whose bytes are not what was written.
func TestStateMeddledWith(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, "n1")
	if err := s.Commit(t.Context(), act("a")); err != nil {
		t.Fatal(err)
	}
	shut(t, s)
	meddle(t, dir, `UPDATE claims SET body = x'7b'`, `UPDATE approvals SET body = x'7b'`)
	s = open(t, dir, "n1")
	defer s.Close()
	if _, err := s.Claim(t.Context(), "a"); err == nil || errors.Is(err, tv.ErrNotFound) {
		t.Errorf("a broken claim: got %v: it must not read as one that is not there", err)
	}
	if _, err := s.Approval(t.Context(), "a"); err == nil || errors.Is(err, tv.ErrNotFound) {
		t.Errorf("a broken approval: got %v", err)
	}
	if _, err := s.Claims(t.Context(), tv.ClaimQuery{}); err == nil {
		t.Error("a list with a broken claim came without an error")
	}
	if _, err := s.Approvals(t.Context(), tv.ApprovalQuery{}); err == nil {
		t.Error("a list with a broken approval came without an error")
	}
}

// TestUnsignedTailMeddledWith: a start does not sign a tail that was damaged
// after a crash.
func TestUnsignedTailMeddledWith(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, "n1")
	var written atomic.Bool
	wait := make(chan struct{})
	t.Cleanup(func() {
		close(wait) // before Close, which waits for the writer
		shut(t, s)
	})
	s.StopAt(func(string) {
		if written.Load() {
			<-wait // nothing is signed meanwhile
		}
	})
	write(t, s, "one", "two", "three")
	written.Store(true)
	for name, statement := range map[string]string{
		"a leaf":            `UPDATE records SET leaf = CAST(replace(CAST(leaf AS TEXT), 'two', 'own') AS BLOB) WHERE seq = 1`,
		"a leaf and a hash": `UPDATE records SET leaf = x'7b7d', hash = zeroblob(32) WHERE seq = 1`,
		"a place":           `UPDATE records SET leaf = (SELECT leaf FROM records WHERE seq = 0), hash = (SELECT hash FROM records WHERE seq = 0) WHERE seq = 1`,
		"one less":          `DELETE FROM records WHERE seq = 2`,
		"two more":          `INSERT INTO records SELECT seq + 3, hash, leaf FROM records WHERE seq < 2`,
		"one more":          `INSERT INTO records SELECT seq + 1, hash, leaf FROM records WHERE seq = 2`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			crashed := filepath.Join(t.TempDir(), "crashed")
			if err := os.Mkdir(crashed, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{"toolverdict.db", "toolverdict.db-wal", audit.KeyFile, audit.PublicFile} {
				copyFile(t, filepath.Join(dir, file), filepath.Join(crashed, file))
			}
			meddle(t, crashed, statement)
			refused(t, crashed, "audit verify")
		})
	}
}

// TestViewsHoldUpNobody opens more views than there may be: they wait, and calls
// do not.
func TestViewsHoldUpNobody(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "data"), "n1")
	defer s.Close()
	var views []*sqlite.View
	for {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		v, err := s.Log(ctx)
		stop()
		if err != nil {
			break
		}
		views = append(views, v)
	}
	if len(views) == 0 {
		t.Fatal("there is no view at all")
	}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
			defer stop()
			if _, err := s.Disabled(ctx, "eva"); err != nil {
				t.Errorf("reading beside the views: %v", err)
			}
		})
	}
	wg.Wait()
	write(t, s, "beside the views")
	for _, v := range views {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOlderStores: a store of before names stood apart tells whom its approvals have
// to do with, and a call that was running then can still be told of.
func TestOlderStores(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, "n")
	a := tv.Approval{
		ID: "a-1", State: tv.ApprovalPending, Digest: "d", Key: "k", Call: tv.StoredCall{Tool: "up/x", Subject: tv.Subject{ID: "agent"}},
		Requirements: []tv.Requirement{{Approvers: []string{"role:<ops>"}, Quorum: 1}}, Created: time.Now(), Expires: time.Now().Add(time.Hour),
	}
	c := tv.Claim{Key: "k", State: tv.ClaimDispatched, Handle: "h", Subject: "agent", Node: "n", Updated: time.Now(), Deadline: time.Now().Add(time.Hour)}
	if err := s.Commit(t.Context(), tv.Changes{
		Records:   []tv.Record{{Kind: tv.RecordAdmin, At: time.Now()}},
		Approvals: []tv.ApprovalChange{{To: a}}, Claims: []tv.ClaimChange{{To: c}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	meddle(t, dir, "DROP INDEX claims_handle", "ALTER TABLE claims DROP COLUMN handle", "DROP INDEX approvals_state", "DROP INDEX approvals_created", "ALTER TABLE approvals DROP COLUMN names",
		"CREATE INDEX approvals_state ON approvals (state, created, id)", "CREATE INDEX approvals_created ON approvals (created, id)",
		"DELETE FROM goose_db_version WHERE version_id >= 7",
		"CREATE TRIGGER records_stay BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'records are never changed'); END",
		"CREATE TRIGGER records_remain BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'records are never deleted'); END")
	s = open(t, dir, "n")
	for _, q := range []tv.ApprovalQuery{{Mentions: []string{"role:<ops>"}}, {Mentions: []string{"agent"}, State: tv.ApprovalPending}} {
		if all, err := s.Approvals(t.Context(), q); err != nil || len(all) != 1 {
			t.Errorf("%+v: %d, %v", q, len(all), err)
		}
	}
	if all, err := s.Claims(t.Context(), tv.ClaimQuery{Handle: "h"}); err != nil || len(all) != 1 {
		t.Errorf("the claim with the handle: %d, %v", len(all), err)
	}
}

// Gates come and go on a folder on which others write and sign: what one finds at
// the end of the log must be of one moment.
func TestOpenWhileOthersWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	var gates sync.WaitGroup
	for g := range 4 {
		gates.Go(func() {
			for i := range 12 {
				s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Node: fmt.Sprintf("n-%d-%d", g, i), Now: time.Now})
				if err != nil {
					t.Errorf("gate %d does not start: %v", g, err)
					return
				}
				for range 5 {
					if err := s.Commit(t.Context(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordDecision, At: time.Now()}}}); err != nil {
						t.Error(err)
					}
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	gates.Wait()
}
