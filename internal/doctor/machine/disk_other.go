// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package machine

import "errors"

func diskOf(string) (space, error) {
	return space{}, errors.New("on this system it is not known how: see that it is a disk of this machine with room on it")
}

func kernelClock() (synchronised, known bool) { return false, false }
