// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU time in /proc on every platform that Go supports.
const tick = 10 * time.Millisecond

// cpuOf is the CPU time, user and system, that a target's hop has used so far.
func cpuOf(t target) (time.Duration, error) {
	if t.pid == nil {
		return 0, nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", t.pid.Load()))
	if err != nil {
		return 0, fmt.Errorf("read the CPU time of %s: %v", t.name, err)
	}
	// The second field is the program's name, in parentheses, and may hold anything.
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	const user, system = 11, 12
	if len(fields) <= system {
		return 0, fmt.Errorf("read the CPU time of %s: short line %q", t.name, text)
	}
	var sum time.Duration
	for _, f := range []string{fields[user], fields[system]} {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read the CPU time of %s: %v", t.name, err)
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}

// residentKiB is a process's resident memory.
func residentKiB(pid int) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("read resident memory: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return 0, fmt.Errorf("read resident memory of process %d: not there", pid)
}

// syncTimes measures a small append and fsync in a folder: what one commit alone must wait for.
func syncTimes(dir string, n int, now clock) ([]time.Duration, error) {
	f, err := os.Create(filepath.Join(dir, "fsync"))
	if err != nil {
		return nil, fmt.Errorf("measure fsync: %v", err)
	}
	defer f.Close()
	page := make([]byte, 4096)
	times := make([]time.Duration, n)
	for i := range times {
		start := now()
		if _, err := f.Write(page); err != nil {
			return nil, fmt.Errorf("measure fsync: %v", err)
		}
		if err := f.Sync(); err != nil {
			return nil, fmt.Errorf("measure fsync: %v", err)
		}
		times[i] = now().Sub(start)
	}
	return times, nil
}
