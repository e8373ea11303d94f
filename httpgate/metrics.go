// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"context"
	"net/http"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
)

// metricsRoute is there where figures are kept. They say nothing of any one
// call, and yet how often what is refused, and by which policy: that is for
// those who watch over the gate, never for an agent, which could learn from it.
func (f *Front) metricsRoute() {
	switch {
	case f.Metrics == nil:
	case f.MetricsOpen:
		f.handle("GET /metrics", f.Metrics.ServeHTTP)
	default:
		f.handle("GET /metrics", f.signedIn(func(w http.ResponseWriter, r *http.Request, by tv.Subject) {
			if watcher(by) {
				f.Metrics.ServeHTTP(w, r)
				return
			}
			web.Problem(w, http.StatusForbidden, "Only a person or service with the role metrics, or an auditor, admin or approver, may see this.")
		}))
	}
}

func watcher(by tv.Subject) bool {
	return isOfficer(by) || (by.Kind == tv.Person || by.Kind == tv.Service) && by.HasRole("metrics")
}

// Stats tells how people answered what rules asked since a time, as it is to be
// written in JSON: a fatigue.Report.
type Stats func(ctx context.Context, since time.Time) (any, error)

// longAgo is how far approvals are looked at where nobody says.
const longAgo = 30 * 24 * time.Hour

// stats shows how people answer: for those who may see what others did.
func (f *Front) stats(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !officer(w, by) {
		return
	}
	in := web.ReadParams(r, "since")
	since := f.Now().Add(-longAgo)
	if text := in.Text("since"); text != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			in.Fail("Parameter %q must be a time as in 2026-01-31T12:00:00Z.", "since")
		}
	}
	if in.Refused(w) {
		return
	}
	report, err := f.Stats(r.Context(), since)
	if err != nil {
		f.fault(err)
		web.Problem(w, http.StatusServiceUnavailable, "The approvals cannot be read now.")
		return
	}
	web.Answer(w, report)
}
