// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"net/http"

	tv "github.com/toolverdict/toolverdict"
)

// metricsRoute is there where figures are kept. They say nothing of any one
// call, and yet how often what is refused, and by which policy: that is for
// those who watch over the gate, never for an agent, which could learn from it.
func (f *Front) metricsRoute() {
	switch {
	case f.Metrics == nil:
	case f.MetricsOpen:
		f.mux.Handle("GET /metrics", f.Metrics)
	default:
		f.mux.HandleFunc("GET /metrics", f.signedIn(func(w http.ResponseWriter, r *http.Request, by tv.Subject) {
			if watcher(by) {
				f.Metrics.ServeHTTP(w, r)
				return
			}
			problem(w, http.StatusForbidden, "Only a person or service with the role metrics, or an auditor, admin or approver, may see this.")
		}))
	}
}

func watcher(by tv.Subject) bool {
	return isOfficer(by) || (by.Kind == tv.Person || by.Kind == tv.Service) && by.HasRole("metrics")
}
