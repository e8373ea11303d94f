// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package child

import (
	"errors"
	"os/exec"
	"syscall"
)

// separate gives the command a session of its own, so no terminal, and the
// kernel's word that it dies with the gate.
func separate(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	return nil
}

// awaitExit waits until the process ended, and leaves its id taken: until it is
// reaped, no other process or group can have the number that is signalled. It
// reports whether it could.
func awaitExit(pid int) bool {
	const onePid = 1 // P_PID
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, onePid, uintptr(pid), 0, syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if !errors.Is(errno, syscall.EINTR) {
			return errno == 0
		}
	}
}
