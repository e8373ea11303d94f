// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/client/internal/answer"
)

// Verdict is the answer to a call that this program runs itself. Its zero value
// is a denial.
type Verdict = answer.Verdict

// Outcome is what came of a claimed call.
type Outcome = answer.Outcome

// Advise says what would be decided about a call. It is no leave to run it.
func (c *Client) Advise(ctx context.Context, call Call) (Verdict, error) {
	raw, err := c.send(ctx, http.MethodPost, "/v1/decide", call.body(), nil)
	if err != nil {
		return Verdict{}, err
	}
	v, err := answer.ReadVerdict(raw)
	v.Claim = nil
	return v, err
}

// Claim asks for leave to run a call. There is leave where the error is nil and
// the verdict is allow: run v.Claim.Arguments once, and tell the outcome.
func (c *Client) Claim(ctx context.Context, call Call) (Verdict, error) {
	raw, err := c.send(ctx, http.MethodPost, "/v1/claim", call.body(), nil)
	if err != nil {
		return Verdict{}, err
	}
	return answer.ReadClaim(raw)
}

// Tell reports the outcome of a claim, once. The result holds what the model may
// be told. Whatever else answers in the place of the gate is an error.
func (c *Client) Tell(ctx context.Context, o Outcome) (tv.Result, error) {
	b, err := json.Marshal(o)
	if err != nil {
		return tv.Result{}, errors.New("tell outcome: the result is no JSON")
	}
	raw, err := c.send(ctx, http.MethodPost, "/v1/outcome", b, nil)
	if err != nil {
		return tv.Result{}, err
	}
	return answer.ReadTold(raw, o.Claim)
}
