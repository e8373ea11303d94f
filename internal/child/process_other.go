// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package child

import (
	"errors"
	"os/exec"
)

// separate refuses: without process groups nothing that a child starts could be
// stopped with it.
func separate(*exec.Cmd) error {
	return errors.New("child processes are not supported on this system: reach the server by URL")
}

func detach(cmd *exec.Cmd) error { return separate(cmd) }

func awaitExit(int) bool { return false }

func askGroup(int) error { return nil }

func killGroup(int) error { return nil }
