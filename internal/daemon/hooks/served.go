// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hooks

import (
	"net/http"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/hookgate/desk"
	"github.com/toolverdict/toolverdict/internal/config"
)

// answerTime is how long one answer of a served gate may take beside what it waits
// for a person.
const answerTime = 10 * time.Second

// Handler is the endpoint that agents, or the command that they start, ask. It is
// nil where no agent asks this gate.
func (l Layer) Handler(c *config.Config, d desk.Config, authenticate func(bearer string) (tv.Subject, bool)) (http.Handler, error) {
	if len(l.agents) == 0 {
		return nil, nil //nolint:nilnil // no hooks are no fault
	}
	d.Environment, d.Workspace, d.Wait = c.Env, l.place.Workspace, c.Hooks.Wait
	at, err := desk.New(d)
	if err != nil {
		return nil, err
	}
	return &desk.Handler{Desk: at, Authenticate: authenticate, Deadline: c.Hooks.Wait + answerTime}, nil
}
