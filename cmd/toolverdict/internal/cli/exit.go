// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	tv "github.com/toolverdict/toolverdict"
)

// Exit codes. docs/cli.md says the same.
const (
	ExitDone        = 0
	ExitInternal    = 1
	ExitUsage       = 2 // wrong arguments, or a file that cannot be used
	ExitDenied      = 3 // the gate said no, or a check failed
	ExitWaiting     = 4 // a person must approve first
	ExitTool        = 5 // the tool was called and failed, or its answer was lost
	ExitUnavailable = 6 // no gate answered, or it could not decide and record
)

// Error ends the program with a code. An empty text says nothing more: what
// there is to say was printed.
type Error struct {
	Code  int
	Text  string
	Cause error // for those who can do something about it; nil where nobody can
}

// Unwrap implements the errors package's.
func (e *Error) Unwrap() error { return e.Cause }

// Error implements error.
func (e *Error) Error() string { return e.Text }

// Usage is an error of whoever typed the command or wrote the file.
func Usage(format string, args ...any) error {
	return &Error{Code: ExitUsage, Text: fmt.Sprintf(format, args...)}
}

// Quiet ends with a code after everything was printed.
func Quiet(code int) error {
	if code == ExitDone {
		return nil
	}
	return &Error{Code: code}
}

// ResultCode is the exit code of a call's result.
func ResultCode(r *tv.Result) int {
	if r.Success {
		return ExitDone
	}
	if r.Error == nil {
		return ExitInternal
	}
	switch r.Error.Code {
	case tv.ConfirmationRequired, tv.InProgress:
		return ExitWaiting
	case tv.ToolError, tv.ToolTimeout, tv.OutcomeUnknown:
		return ExitTool
	case tv.GateUnavailable:
		return ExitUnavailable
	default: // whatever else there is, or will be, is a no
		return ExitDenied
	}
}
