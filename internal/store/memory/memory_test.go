// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package memory_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/store/memory"
	"github.com/toolverdict/toolverdict/internal/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Subject{
		Open: func(t testing.TB, _, _ string, now func() time.Time) storetest.Store {
			t.Helper()
			s, err := memory.New(memory.Config{Now: now})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		Log: func(s storetest.Store) (storetest.Log, error) {
			m, ok := s.(*memory.Store)
			if !ok {
				return nil, errors.New("not a memory store")
			}
			return m.Log(context.Background())
		},
		Lose: func(s storetest.Store, node string) {
			if m, ok := s.(*memory.Store); ok {
				m.Lose(node)
			}
		},
	})
}

func TestNewNeedsAClock(t *testing.T) {
	t.Parallel()
	if _, err := memory.New(memory.Config{}); err == nil {
		t.Error("a store without a clock was made")
	}
}
