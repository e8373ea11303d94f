// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/decide"
)

// Verdict is the answer to a call that this program runs itself. Its zero value
// is a denial.
type Verdict = decide.Verdict

// Outcome is what came of a claimed call.
type Outcome = decide.Outcome

// Advise says what would be decided about a call. It is no leave to run it.
func (c *Client) Advise(ctx context.Context, call Call) (Verdict, error) {
	var v Verdict
	if _, err := c.send(ctx, http.MethodPost, "/v1/decide", call.body(), &v); err != nil {
		return Verdict{}, err
	}
	v.Claim = nil
	return v, nil
}

// Claim asks for leave to run a call. There is leave where the error is nil and
// the verdict is allow: run v.Claim.Arguments once, and tell the outcome.
func (c *Client) Claim(ctx context.Context, call Call) (Verdict, error) {
	var v Verdict
	if _, err := c.send(ctx, http.MethodPost, "/v1/claim", call.body(), &v); err != nil {
		return Verdict{}, err
	}
	if leave := v.Claim; (v.Verdict == tv.Allow) != (leave != nil) || leave != nil && (leave.ID == "" || leave.Token == "") {
		return Verdict{}, errNoVerdict
	}
	return v, nil
}

var errNoVerdict = errors.New("read verdict: the answer is none that a gate gives: nothing may run on it")

// Tell reports the outcome of a claim, once. The result holds what the model may
// be told.
func (c *Client) Tell(ctx context.Context, o Outcome) (tv.Result, error) {
	b, err := json.Marshal(o)
	if err != nil {
		return tv.Result{}, errors.New("tell outcome: the result is no JSON")
	}
	var told decide.Told
	_, err = c.send(ctx, http.MethodPost, "/v1/outcome", b, &told)
	return told.Result, err
}
