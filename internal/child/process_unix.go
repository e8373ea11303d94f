// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package child

import "syscall"

// askGroup asks a process and its group to end.
func askGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGTERM) }

// killGroup ends a process and its group.
func killGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }
