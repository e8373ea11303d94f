// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/store/sqlite"
	"github.com/toolverdict/toolverdict/internal/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Subject{
		Open: func(t testing.TB, dir, node string, now func() time.Time) storetest.Store {
			t.Helper()
			s, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir, Node: node, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		Log: func(s storetest.Store) (storetest.Log, error) {
			m, ok := s.(*sqlite.Store)
			if !ok {
				return nil, errors.New("not a sqlite store")
			}
			return m.Log(context.Background())
		},
		Shared: true,
	})
}
