// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"
)

// fault is one way to break the answers to a tool, for drills of what stands in
// front of the server.
type fault string

const (
	faultHang       fault = "hang"        // never does it, never answers
	faultHangAfter  fault = "hang-after"  // does it, never answers
	faultExit       fault = "exit"        // does it, ends the process before answering
	faultExitBefore fault = "exit-before" // ends the process without doing it
	faultGarbage    fault = "garbage"     // does it, answers with bytes that are no JSON
)

const (
	faultHelp = "hang (not done, no answer), hang-after (done, no answer), exit (done, process ends), " +
		"exit-before (not done, process ends), garbage (done, answered with bytes that are no JSON)"
	garbage = "<html>502 bad gateway\x00\xff{\"jsonrpc\":\n"
)

// before reports whether the fault strikes instead of the work.
func (f fault) before() bool { return f == faultHang || f == faultExitBefore }

// faults maps a tool's name to its fault.
type faults map[string]fault

func (f *faults) add(arg string) error {
	kind, tool, _ := strings.Cut(arg, ":")
	switch k := fault(kind); k {
	case faultHang, faultHangAfter, faultExit, faultExitBefore, faultGarbage:
		defs, err := toolDefinitions()
		if err != nil {
			return err
		}
		if defs[tool] == nil {
			return errors.New("there is no such tool: write kind:tool, for example hang:cancel_order")
		}
		if *f == nil {
			*f = faults{}
		}
		if (*f)[tool] != "" {
			return fmt.Errorf("tool %s has a fault already: give each tool one", tool)
		}
		(*f)[tool] = k
		return nil
	}
	return errors.New("there is no such fault: the kinds are " + faultHelp)
}
