// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"encoding/json"
	"time"
)

// OutcomeStatus says what came of a dispatched call.
type OutcomeStatus string

// Outcomes. The zero value is unknown: a forgotten field never reads as done.
const (
	Unknown   OutcomeStatus = ""
	Succeeded OutcomeStatus = "succeeded"
	Failed    OutcomeStatus = "failed"
	Paused    OutcomeStatus = "paused"  // the tool wants more input before it goes on; Content says which
	NotSent   OutcomeStatus = "notSent" // certain that nothing reached the tool
)

// Outcome is what an executor reports. It has no error beside it: a fault that
// may have come after the tool was reached is Unknown, one before is NotSent.
type Outcome struct {
	Status  OutcomeStatus   `json:"status"`
	Code    Code            `json:"code,omitempty"`    // TOOL_ERROR or TOOL_TIMEOUT, where Status is not Succeeded
	Content json.RawMessage `json:"content,omitempty"` // the tool's answer, as JSON
	Message string          `json:"message,omitempty"` // for the agent; holds no secret
	Took    time.Duration   `json:"took,omitempty"`
}
