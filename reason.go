// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

// Code is the machine word of a refusal or failure. The list is append-only:
// agents, dashboards and tests depend on the words.
type Code string

// Codes. See docs/reasons.md for what each means to the one who reads it.
const (
	UnknownTool          Code = "UNKNOWN_TOOL"
	ToolNotAllowed       Code = "TOOL_NOT_ALLOWED"
	MalformedCall        Code = "MALFORMED_CALL"
	InvalidInput         Code = "INVALID_INPUT"
	PermissionDenied     Code = "PERMISSION_DENIED"
	PolicyDenied         Code = "POLICY_DENIED"
	RateLimited          Code = "RATE_LIMITED"
	ConfirmationRequired Code = "CONFIRMATION_REQUIRED"
	ConfirmationInvalid  Code = "CONFIRMATION_INVALID"
	SessionFrozen        Code = "SESSION_FROZEN"
	OutcomeUnknown       Code = "OUTCOME_UNKNOWN"
	ToolError            Code = "TOOL_ERROR"
	ToolTimeout          Code = "TOOL_TIMEOUT"
	GateUnavailable      Code = "GATE_UNAVAILABLE"
	InProgress           Code = "IN_PROGRESS"
)

// Trait is what a code always means to the caller.
type Trait struct {
	SecurityBlocked bool   // the gate, not the tool, stopped the call for safety
	Retryable       bool   // the same request may pass later, or once corrected
	Advice          string // what to do next
}

// Codes returns every code in the order of its introduction.
func Codes() []Code {
	return []Code{
		UnknownTool, ToolNotAllowed, MalformedCall, InvalidInput, PermissionDenied, PolicyDenied,
		RateLimited, ConfirmationRequired, ConfirmationInvalid, SessionFrozen, OutcomeUnknown,
		ToolError, ToolTimeout, GateUnavailable, InProgress,
	}
}

// Trait returns what the code means. An unknown code reads as blocked and not
// retryable.
func (c Code) Trait() Trait {
	switch c {
	case UnknownTool:
		return Trait{true, false, "Call a tool from the tool list."}
	case ToolNotAllowed:
		return Trait{true, false, "Go on without this tool, or ask the user to change the run."}
	case MalformedCall:
		return Trait{true, true, "Send one plain JSON object as arguments and retry."}
	case InvalidInput:
		return Trait{false, true, "Correct the invalid field and retry the request."}
	case PermissionDenied:
		return Trait{true, false, "Do not retry. Ask the user or an administrator for the permission."}
	case PolicyDenied:
		return Trait{true, false, "Do not retry. Choose another way, or tell the user what was refused."}
	case RateLimited:
		return Trait{true, true, "Wait for the stated time, then retry."}
	case ConfirmationRequired:
		return Trait{true, true, "Tell the user that a person must approve, then repeat the same call once it is approved."}
	case ConfirmationInvalid:
		return Trait{true, false, "If it was rejected, do not ask again: tell the user why. Otherwise make the call again without this confirmation to ask anew."}
	case SessionFrozen:
		return Trait{true, false, "Stop. Tell the user that the session was frozen."}
	case OutcomeUnknown:
		return Trait{false, false, "Do not retry. Check whether the action took place, then have a person settle it."}
	case ToolError:
		return Trait{false, true, "Read the tool's message, correct the request and retry."}
	case ToolTimeout:
		return Trait{false, true, "Retry later, or ask for less."}
	case GateUnavailable:
		return Trait{true, true, "Nothing was run. Retry later; if it persists, tell the operator."}
	case InProgress:
		return Trait{false, true, "The same call is running. Repeat it later to read its result."}
	}
	return Trait{SecurityBlocked: true}
}
