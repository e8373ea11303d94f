// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// TestFilesTakenAway: what goes into a file without a name is gone with the
// process.
func TestFilesTakenAway(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(dir string) error{
		"folder":          os.RemoveAll,
		"database":        func(dir string) error { return os.Remove(database(dir)) },
		"write-ahead log": func(dir string) error { return os.Remove(database(dir) + "-wal") },
		"shared memory":   func(dir string) error { return os.Remove(database(dir) + "-shm") },
		"replaced": func(dir string) error {
			return errors.Join(os.Rename(database(dir), database(dir)+".old"), os.WriteFile(database(dir), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			s := open(t, dir, "n1")
			defer s.Close()
			write(t, s, "one")
			if err := take(dir); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				err := s.Commit(t.Context(), act("lost"))
				if err == nil || !strings.Contains(err.Error(), "removed or replaced") {
					t.Errorf("got %v, want that a file was removed or replaced", err)
				}
			}
			if err := s.Healthy(t.Context()); err == nil {
				t.Error("a store without its file says that it is healthy")
			}
		})
	}
}

// TestPoison: one change that the database refuses fails alone.
func TestPoison(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "data"), "n1")
	defer s.Close()
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			name := fmt.Sprint("a", i)
			poison := i%10 == 3
			commit := s.Commit
			if poison {
				commit = s.CommitPoison
			}
			if err := commit(t.Context(), act(name)); (err != nil) != poison {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := s.Claim(t.Context(), name); (err != nil) != poison {
				t.Errorf("%s, read back: %v", name, err)
			}
		})
	}
	wg.Wait()
	if r := verified(t, s); r.Records != 45 {
		t.Errorf("got %d records, want 45", r.Records)
	}
}

// TestRewrittenWhileRunning: a gate signs nothing that is not the continuation
// of what it knows.
func TestRewrittenWhileRunning(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   string
		word string
	}{
		"cut back":  {`UPDATE head SET size = 0, edge = x''`, "cut back"},
		"rewritten": {`UPDATE records SET hash = zeroblob(32) WHERE seq = 0; INSERT INTO records VALUES (3, zeroblob(32), x'00'); UPDATE head SET size = 4, edge = zeroblob(32)`, "rewritten"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			s := open(t, dir, "n1")
			defer s.Close()
			write(t, s, "one", "two", "three")
			meddle(t, dir, c.do)
			for range 2 {
				err := s.Commit(t.Context(), act("more"))
				if err == nil || !strings.Contains(err.Error(), c.word) || !strings.Contains(err.Error(), "audit verify") {
					t.Errorf("got %v, want that the log was %s", err, c.word)
				}
			}
		})
	}
}

// TestCallerGoesWhileItIsWritten: whoever goes once its turn has come is told
// what really happened; whoever goes before leaves nothing.
func TestCallerGoesWhileItIsWritten(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "data"), "n1")
	reached, goOn := make(chan struct{}), make(chan struct{})
	first := true
	s.StopAt(func(point string) { // called from the writer alone
		if first && point == "applied" {
			first = false
			close(reached)
			<-goOn
		}
	})
	ctx, leave := context.WithCancel(t.Context())
	told := make(chan error, 2)
	go func() { told <- s.Commit(ctx, act("in turn")) }()
	<-reached
	queued := make(chan error)
	late, leaveLate := context.WithCancel(t.Context())
	go func() { queued <- s.Commit(late, act("waiting")) }()
	leaveLate()
	if err := <-queued; !errors.Is(err, context.Canceled) {
		t.Errorf("whoever waited was told %v", err)
	}
	leave()
	select {
	case err := <-told:
		t.Errorf("the caller was told %v before it was known", err)
		told <- nil
	case <-time.After(20 * time.Millisecond): // long enough to be told too early
	}
	close(goOn)
	if err := <-told; err != nil {
		t.Errorf("the caller was told %v of what was written", err)
	}
	shut(t, s)
	s = open(t, s.Dir(), "n1")
	defer s.Close()
	if _, err := s.Claim(t.Context(), "in turn"); err != nil {
		t.Error(err)
	}
	if _, err := s.Claim(t.Context(), "waiting"); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("a change that was taken back: %v", err)
	}
}

// TestBusy: a process that keeps the database locked makes changes fail, and
// they succeed once it lets go.
func TestBusy(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, "n1")
	defer s.Close()
	db, err := sql.Open("sqlite", "file:"+database(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), act("a")); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Errorf("got %v, want that the database is busy", err)
	}
	if _, err := s.Claim(t.Context(), "a"); !errors.Is(err, tv.ErrNotFound) {
		t.Errorf("reading meanwhile: %v", err)
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), act("a")); err != nil {
		t.Error(err)
	}
}

// TestTornWriteAheadLog cuts the write-ahead log of a running store at every
// place that a power cut could leave: what is there is a whole beginning.
func TestTornWriteAheadLog(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, "n1")
	defer s.Close()
	const acts = 12
	for i := range acts {
		if err := s.Commit(t.Context(), act(fmt.Sprint("a", i))); err != nil {
			t.Fatal(err)
		}
	}
	wal, err := os.ReadFile(database(dir) + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	step := max(1, len(wal)/60)
	for end := 0; end <= len(wal)+step; end += step {
		torn := filepath.Join(t.TempDir(), "torn")
		end := min(end, len(wal))
		if err := errors.Join(os.Mkdir(torn, 0o700), os.WriteFile(database(torn)+"-wal", wal[:end], 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"toolverdict.db", audit.KeyFile} {
			copyFile(t, filepath.Join(dir, name), filepath.Join(torn, name))
		}
		there := whole(t, torn, acts, end)
		if there < last {
			t.Errorf("with %d bytes there are %d acts, with fewer bytes there were %d", end, there, last)
		}
		last = there
	}
	if last != acts {
		t.Errorf("with all bytes there are %d acts, want %d", last, acts)
	}
}

// whole opens a torn copy and returns how many acts are there: the first ones,
// with all their parts. A log that was not even born is fine where no act is.
func whole(t *testing.T, dir string, acts, bytes int) int {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Node: "n2", Now: still})
	if err != nil {
		if strings.Contains(err.Error(), "missing") {
			t.Fatalf("with %d bytes: %v", bytes, err)
		}
		t.Fatalf("with %d bytes of write-ahead log: %v", bytes, err)
	}
	defer s.Close()
	n := 0
	for i := range acts {
		_, errClaim := s.Claim(t.Context(), fmt.Sprint("a", i))
		_, errApproval := s.Approval(t.Context(), fmt.Sprint("a", i))
		if (errClaim == nil) != (errApproval == nil) {
			t.Errorf("with %d bytes act %d is there by half", bytes, i)
		}
		if errClaim == nil {
			n++
			if n != i+1 {
				t.Errorf("with %d bytes act %d is there without one before it", bytes, i)
			}
		}
	}
	if r := verified(t, s); r.Records != int64(n) {
		t.Errorf("with %d bytes there are %d records of %d acts", bytes, r.Records, n)
	}
	return n
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// filled is a folder with a closed store of 600 records.
func filled(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, "n1")
	for i := range 600 {
		r := tv.Record{Kind: tv.RecordDecision, At: clock.Add(time.Duration(i) * time.Second), CallID: fmt.Sprintf("call-%04d", i)}
		if err := s.Commit(t.Context(), tv.Changes{Records: []tv.Record{r}, Lazy: i%50 != 0}); err != nil {
			t.Fatal(err)
		}
	}
	shut(t, s)
	return dir
}

func found(t *testing.T, dir string) *audit.Fault {
	t.Helper()
	v, err := sqlite.OpenLog(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := audit.Verify(t.Context(), audit.Job{Log: v, Key: v.Key()})
	if err := errors.Join(err, v.Close()); err != nil {
		t.Fatal(err)
	}
	return r.Fault
}

// TestTamperedFile changes the file itself, or rows in it, and wants the first
// bad record named.
func TestTamperedFile(t *testing.T) {
	t.Parallel()
	flip := func(text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			b, err := os.ReadFile(database(dir))
			if err != nil {
				t.Fatal(err)
			}
			at := bytes.Index(b, []byte(text))
			if at < 0 {
				t.Fatalf("%q is not in the file", text)
			}
			b[at+len(text)-1] ^= 1
			if err := os.WriteFile(database(dir), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	rows := func(statements ...string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { meddle(t, dir, statements...) }
	}
	for name, c := range map[string]struct {
		do    func(t *testing.T, dir string)
		kind  audit.FaultKind
		first int64
	}{
		"nothing":       {func(*testing.T, string) {}, "", 0},
		"one bit":       {flip("call-0123"), audit.Changed, 123},
		"first record":  {flip("call-0000"), audit.Changed, 0},
		"last record":   {flip("call-0599"), audit.Changed, 599},
		"a place":       {flip(`"seq":300`), audit.Moved, 300},
		"one removed":   {rows(`DELETE FROM records WHERE seq = 301`), audit.Missing, 301},
		"last removed":  {rows(`DELETE FROM records WHERE seq = 599`), audit.Truncated, 599},
		"a stored hash": {rows(`UPDATE records SET hash = zeroblob(32) WHERE seq = 9`), audit.BadHash, 9},
		"a short hash":  {rows(`UPDATE records SET hash = x'00' WHERE seq = 9`), audit.BadHash, 9},
		"an empty leaf": {rows(`UPDATE records SET leaf = x'' WHERE seq = 9`), audit.Changed, 9},
		"a node":        {rows(`UPDATE tree SET hash = zeroblob(32) WHERE n = 1`), audit.BadNode, 256},
		"a checkpoint":  {rows(`DELETE FROM checkpoints WHERE size = 512`), audit.Unsigned, 256},
		"the head":      {rows(`UPDATE head SET size = 601`), audit.Truncated, 600},
		"records swapped": {rows(
			`UPDATE records SET seq = -1 WHERE seq = 40`, `UPDATE records SET seq = 40 WHERE seq = 41`, `UPDATE records SET seq = 41 WHERE seq = -1`,
		), audit.Moved, 40},
		"one more":         {rows(`INSERT INTO records SELECT seq + 1, hash, leaf FROM records WHERE seq = 599`), audit.Added, 600},
		"a negative place": {rows(`INSERT INTO records SELECT -1, hash, leaf FROM records WHERE seq = 0`), audit.Added, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filled(t)
			c.do(t, dir)
			f := found(t, dir)
			switch {
			case f == nil && c.kind != "":
				t.Error("nothing was found")
			case f != nil && (f.Kind != c.kind || f.First != c.first):
				t.Errorf("got %v, want %s at %d", f, c.kind, c.first)
			}
		})
	}
}

// TestDamagedPages destroys whole pages of the file: verify says so, and does
// not break down.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	dir := filled(t)
	good, err := os.ReadFile(database(dir))
	if err != nil {
		t.Fatal(err)
	}
	hits := 0
	for page := 2; page*4096 < len(good); page += 3 {
		b := append([]byte(nil), good...)
		holds := bytes.Contains(b[page*4096:(page+1)*4096], []byte(`"callId":"call-`))
		copy(b[page*4096:], bytes.Repeat([]byte{0xa5}, 4096))
		if err := os.WriteFile(database(dir), b, 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := sqlite.OpenLog(t.Context(), dir)
		if err != nil {
			continue // it could not even be opened: said so
		}
		r, err := audit.Verify(t.Context(), audit.Job{Log: v, Key: v.Key()})
		if holds {
			hits++
			if err == nil && r.OK() {
				t.Errorf("page %d holds records, was destroyed, and was not missed", page)
			}
		}
		if err := v.Close(); err != nil {
			t.Logf("page %d: %v", page, err)
		}
	}
	if hits == 0 {
		t.Error("no page with records was destroyed")
	}
}

// TestLookingChangesNothing verifies what a crash left, without touching it.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, "n1")
	defer s.Close()
	write(t, s, "one", "two")
	left := filepath.Join(t.TempDir(), "left")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	names := []string{"toolverdict.db", "toolverdict.db-wal", audit.PublicFile}
	for _, name := range names {
		copyFile(t, filepath.Join(dir, name), filepath.Join(left, name))
	}
	if f := found(t, left); f != nil {
		t.Errorf("found %v", f)
	}
	for _, name := range names {
		a, errA := os.ReadFile(filepath.Join(dir, name))
		b, errB := os.ReadFile(filepath.Join(left, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s was changed by looking at it (%v, %v)", name, errA, errB)
		}
	}
	if _, err := sqlite.OpenLog(t.Context(), t.TempDir()); err == nil {
		t.Error("a log was found in an empty folder")
	}
}

// TestWiped looks for an ended approval's arguments in the bytes of the file.
func TestWiped(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, "n1")
	// Base64 is how the arguments are stored; the marker is what it makes of them.
	secret := []byte(strings.Repeat("hunter2-", 300))
	a := tv.Approval{ID: "a", State: tv.ApprovalPending, Digest: "d", Call: tv.StoredCall{Arguments: secret}, Created: clock, Expires: clock}
	change := func(from int64) tv.Changes {
		return tv.Changes{Records: []tv.Record{{Kind: tv.RecordApproval, At: clock}}, Approvals: []tv.ApprovalChange{{From: from, To: a}}}
	}
	if err := s.Commit(t.Context(), change(0)); err != nil {
		t.Fatal(err)
	}
	shut(t, s)
	marker := []byte("aHVudGVyMi1o")
	if n := occurrences(t, dir, marker); n == 0 {
		t.Fatal("the marker is not what the arguments are stored as")
	}
	s = open(t, dir, "n1")
	a.State = tv.ApprovalRejected
	if err := s.Commit(t.Context(), change(1)); err != nil {
		t.Fatal(err)
	}
	shut(t, s)
	if n := occurrences(t, dir, marker); n > 0 {
		t.Errorf("the arguments of a rejected approval are in the file %d times", n)
	}
}

func occurrences(t *testing.T, dir string, marker []byte) int {
	t.Helper()
	n := 0
	names, err := filepath.Glob(filepath.Join(dir, "toolverdict.db*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n += bytes.Count(b, marker)
	}
	return n
}
