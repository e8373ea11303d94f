// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"

	tv "github.com/toolverdict/toolverdict"
)

// Refused says why a call gave no answer: it was not let through, it waits for a
// person, its function failed or pauses, or what came of it is not known. It is
// fit for the model.
type Refused struct {
	tv.Result

	cause error // what the function returned
}

// Error implements error.
func (r *Refused) Error() string {
	if r.Paused {
		return ErrPaused.Error()
	}
	if r.Result.Error == nil {
		return string(tv.GateUnavailable)
	}
	return r.Result.Error.Error()
}

// Unwrap returns what the function returned, where it was run and failed. It is
// not fit for the model: nothing in it was hidden.
func (r *Refused) Unwrap() error { return r.cause }

// Code says what kind of refusal it is; "" for a call that is paused.
func (r *Refused) Code() tv.Code {
	if r.Paused {
		return ""
	}
	if r.Result.Error == nil {
		return tv.GateUnavailable
	}
	return r.Result.Error.Code
}

// Message is what Text says in words, with secrets hidden like there.
func (r *Refused) Message() string {
	if r.Result.Error == nil {
		return r.Error()
	}
	return r.Result.Error.Message
}

// Text is what the model is told: the gate's own answer, as JSON.
func (r *Refused) Text() string {
	b, err := json.Marshal(r.Result)
	if err != nil { // an answer that is no JSON came from no gate
		b, _ = json.Marshal(unavailable())
	}
	return string(b)
}

// Waiting returns the confirmation that a person is asked for. The same call,
// made again with it or without, runs once that person agreed.
func (r *Refused) Waiting() (*tv.ConfirmationInfo, bool) {
	return r.Confirmation, r.Confirmation != nil && r.Code() == tv.ConfirmationRequired
}

func unavailable() tv.Result {
	return refusal(tv.GateUnavailable, tv.Unchanged, "The gate could not clear this call, so it was not run.")
}

func lost() tv.Result {
	return refusal(tv.OutcomeUnknown, tv.MaybeChange, "The tool was run, but what came of it could not be told.")
}

func refusal(code tv.Code, state tv.StateChange, message string) tv.Result {
	trait := code.Trait()
	return tv.Result{
		Error:        &tv.Refusal{Code: code, Message: message, Retryable: trait.Retryable, RecommendedAction: trait.Advice},
		StateChanged: state, SecurityBlocked: trait.SecurityBlocked, Decision: tv.Decision{Code: code},
	}
}
