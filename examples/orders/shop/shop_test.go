// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/examples/orders/shop"
)

// noon is the time in every test.
func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func config(dir string) shop.Config {
	var n atomic.Int64
	return shop.Config{
		Dir: dir, Now: noon, Bash: "/bin/bash", ShellTimeout: time.Minute,
		NewID: func() string { return "ID" + strconv.FormatInt(n.Add(1), 10) },
	}
}

func open(t *testing.T, cfg shop.Config) *shop.Shop {
	t.Helper()
	s, err := shop.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// newShop opens a fresh shop and says where it is.
func newShop(t *testing.T) (*shop.Shop, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	return open(t, config(dir)), dir
}

func changes(t *testing.T, dir string) []shop.Change {
	t.Helper()
	var all []shop.Change
	err := shop.ReadChanges(t.Context(), dir, func(c shop.Change) error { all = append(all, c); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// wantCode fails unless err is the shop's refusal for that reason.
func wantCode(t *testing.T, err error, want shop.Code) {
	t.Helper()
	e, ok := errors.AsType[*shop.Error](err)
	if !ok {
		t.Fatalf("got error %v, want the refusal %s", err, want)
	}
	if e.Code != want {
		t.Fatalf("got refusal %q, want %s", e, want)
	}
	if e.Message == "" || e.Advice == "" {
		t.Errorf("refusal %q lacks a message or advice", e)
	}
}

func TestOpenMakesEverythingPrivate(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	if _, err := s.CancelOrder(t.Context(), "A1001"); err != nil { // opens the side files
		t.Fatal(err)
	}
	want := map[string]os.FileMode{
		".": 0o700, "outbox": 0o700, "scratch": 0o700, "scratch/reports": 0o700,
		"orders.db": 0o600, "orders.db-wal": 0o600, "orders.db-shm": 0o600, "scratch/notes.txt": 0o600,
	}
	got := map[string]os.FileMode{}
	for name := range want {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = info.Mode().Perm()
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("modes (-want +got):\n" + d)
	}
}

func TestOpenRefusesAFolderThatEverybodyMayWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := shop.Open(t.Context(), config(dir))
	if err == nil || !strings.Contains(err.Error(), "chmod o-w") {
		t.Errorf("got %v, want an error that says what to do", err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("the folder's mode was changed: %v %v", info.Mode(), err)
	}
}

func TestOpenLeavesAnExistingFolderAndItsDataAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := shop.Open(t.Context(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CancelOrder(t.Context(), "A1001"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	o, err := open(t, config(dir)).Order(t.Context(), "A1001")
	if err != nil || o.State != "cancelled" {
		t.Errorf("after reopening: state %q, error %v; want cancelled", o.State, err)
	}
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o755 {
		t.Errorf("mode of the folder is now %v", info.Mode())
	}
}

func TestOpenNeedsItsConfig(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]shop.Config{
		"folder": {Now: noon, NewID: func() string { return "x" }},
		"clock":  {Dir: t.TempDir(), NewID: func() string { return "x" }},
		"ids":    {Dir: t.TempDir(), Now: noon},
	} {
		if _, err := shop.Open(t.Context(), cfg); err == nil {
			t.Errorf("opened without %s", name)
		}
	}
}

// Several gates may each start a server on the same folder at the same moment.
func TestManyOpenANewShopAtOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	var wg sync.WaitGroup
	var cancelled atomic.Int64
	for range 12 {
		wg.Go(func() {
			s, err := shop.Open(t.Context(), config(dir))
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			_, err = s.CancelOrder(t.Context(), "A1001")
			if err == nil {
				cancelled.Add(1)
				return
			}
			if e, ok := errors.AsType[*shop.Error](err); !ok || e.Code != shop.AlreadyCancelled {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := cancelled.Load(); got != 1 {
		t.Errorf("%d cancellations said they succeeded, want 1", got)
	}
	if got := changes(t, dir); len(got) != 1 {
		t.Errorf("%d changes recorded, want 1: %v", len(got), got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.new*")); len(left) != 0 {
		t.Errorf("unfinished databases are left: %v", left)
	}
}

func TestChangesAreAppendOnly(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	if _, err := s.CancelOrder(t.Context(), "A1001"); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "orders.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{"UPDATE change SET what = 'A1002'", "DELETE FROM change"} {
		if _, err := db.ExecContext(t.Context(), q); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: got %v, want a refusal", q, err)
		}
	}
	want := []shop.Change{{Seq: 1, At: "2026-11-30T12:00:00Z", Tool: "cancel_order", What: "A1001", Detail: "paid -> cancelled"}}
	if d := cmp.Diff(want, changes(t, dir)); d != "" {
		t.Error("changes (-want +got):\n" + d)
	}
}

func TestReadChangesMakesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := shop.ReadChanges(t.Context(), dir, func(shop.Change) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "-data") {
		t.Errorf("got %v, want an error that says what to do", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("it made %v", left)
	}
}

func TestReadChangesStopsAtTheReadersError(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	if _, err := s.DeleteOrders(t.Context(), []string{"A1003", "A1009"}); err != nil {
		t.Fatal(err)
	}
	stop, seen := errors.New("enough"), 0
	err := shop.ReadChanges(t.Context(), dir, func(shop.Change) error { seen++; return stop })
	if !errors.Is(err, stop) || seen != 1 {
		t.Errorf("got %v after %d changes, want the reader's own error after 1", err, seen)
	}
}
