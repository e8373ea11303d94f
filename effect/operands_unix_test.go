// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package effect_test

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// A pipe in the place of a script must not hold the call until somebody writes
// to it.
func TestPipeInThePlaceOfAScript(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, "run.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	tl := tool(t, tv.Destructive, tv.Place{Root: root, Links: true}, map[string]tv.Role{"/cmd": {Kind: tv.RoleShell, Dialect: "bash"}})
	args, err := canon.Parse([]byte(`{"cmd":"./run.sh"}`), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	found := (&effect.Analyser{Operands: true}).Analyse(context.Background(), tl, args, nil).Effects
	if len(found) != 2 || found[0].SHA256 != "" || found[1].Kind != tv.EffectOpaque {
		t.Errorf("got %+v", found)
	}
}
