// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	tv "github.com/toolverdict/toolverdict"
)

// Config holds what is asked for when somebody reads the page. Every field is
// required.
type Config struct {
	Policy  func(ctx context.Context) (Policy, error)
	Pending func(ctx context.Context) (int, error) // approvals that wait for a person
	Rules   func(ctx context.Context) ([]Rule, error)
	Log     *slog.Logger
}

// Policy is what is known of the policy in force.
type Policy struct {
	Version, Hash, Source string
	Mode                  string    // enforce or observe
	Since                 time.Time // when it came into force
	Failed                bool      // the last update was refused
	Failures              uint64    // updates that were refused since the start
}

// Rule is how people answered what one rule asked.
type Rule struct {
	Rule     string // "" where the tool's own definition asks
	Ended    int    // questions that came to an answer, silence included
	Answered int    // those that a person answered
	Rate     float64
	Median   time.Duration
	Noise    bool
}

// Meter counts. It is safe for concurrent use.
type Meter struct {
	decisions  *prometheus.CounterVec
	took       prometheus.Histogram
	executions *prometheus.CounterVec
	unwritten  prometheus.Counter
	page       http.Handler
}

// Bounds of a reader of the page.
const (
	patience   = 10 * time.Second
	askFor     = 5 * time.Second
	maxReaders = 4
)

// New makes a meter with a registry of its own.
func New(c Config) (*Meter, error) {
	if c.Policy == nil || c.Pending == nil || c.Rules == nil || c.Log == nil {
		return nil, errors.New("make metrics: every part is needed")
	}
	m := &Meter{
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "toolverdict_decisions_total", Help: "Decisions in the audit log, by verdict, reason code and front door.",
		}, []string{"verdict", "reason", "door"}),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "toolverdict_decision_duration_seconds", Help: "Time that policy, history and limits took for one call.",
			Buckets: []float64{5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 5e-3, 2.5e-2, 0.1, 1},
		}),
		executions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "toolverdict_executions_total", Help: "Outcomes of dispatched calls in the audit log.",
		}, []string{"outcome"}),
		unwritten: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "toolverdict_record_failures_total", Help: "Writes of records that failed; a call whose record cannot be written is denied.",
		}),
	}
	for _, o := range outcomes() {
		m.executions.WithLabelValues(o)
	}
	registry := prometheus.NewRegistry()
	for _, part := range []prometheus.Collector{m.decisions, m.took, m.executions, m.unwritten, &asked{Config: c}} {
		if err := registry.Register(part); err != nil {
			return nil, err
		}
	}
	m.page = promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(c.Log.Handler(), slog.LevelWarn), ErrorHandling: promhttp.HTTPErrorOnError,
		MaxRequestsInFlight: maxReaders, Timeout: patience,
	})
	return m, nil
}

// Page answers whoever reads the figures. It asks nobody for a key: that is for
// the front that shows it.
func (m *Meter) Page() http.Handler { return m.page }

// Count returns a store that counts what a gate writes to it.
func (m *Meter) Count(s tv.Store) tv.Store { return counted{s, m} }

// counted is a store whose records are counted once they are written.
type counted struct {
	tv.Store

	meter *Meter
}

// Commit implements [tv.Store].
func (c counted) Commit(ctx context.Context, changes tv.Changes) error {
	err := c.Store.Commit(ctx, changes)
	var conflict *tv.ConflictError
	switch {
	case err == nil:
		for i := range changes.Records {
			c.meter.count(&changes.Records[i], changes.Settled)
		}
	case !errors.As(err, &conflict): // a conflict is a call that is decided again
		c.meter.unwritten.Inc()
	}
	return err
}

func (m *Meter) count(r *tv.Record, settled []tv.Settled) {
	switch r.Kind {
	case tv.RecordDecision:
		m.decisions.WithLabelValues(known(r.Verdict, verdicts()), reason(r.Code), known(string(r.Door), doors())).Inc()
		if r.Took > 0 { // what was refused before the policy was asked took it no time
			m.took.Observe(r.Took.Seconds())
		}
	case tv.RecordOutcome:
		m.executions.WithLabelValues(outcome(r, settled)).Inc()
	default: // what people and the gate itself did
	}
}

// known returns a word that is in a list, and "other" for any else.
func known(word string, list []string) string {
	if slices.Contains(list, word) {
		return word
	}
	return "other"
}

func verdicts() []string { return []string{tv.Allow.String(), tv.Ask.String(), tv.Deny.String()} }

func doors() []string {
	var out []string
	for _, d := range tv.Doors() {
		out = append(out, string(d))
	}
	return out
}

// reason is the label of a code; a call that is allowed has none.
func reason(c tv.Code) string {
	if c != "" && !slices.Contains(tv.Codes(), c) {
		return "other"
	}
	return cmp.Or(string(c), "none")
}

// Outcomes, as labels.
const (
	succeeded = "succeeded"
	failed    = "failed"
	notSent   = "not_sent"
	paused    = "paused"
	unknown   = "unknown"
)

func outcomes() []string { return []string{succeeded, failed, notSent, paused, unknown} }

// outcome reads the label off what was written: history knows what is certain,
// and what is left either asked for more or was lost.
func outcome(r *tv.Record, settled []tv.Settled) string {
	for _, s := range settled {
		switch s.State {
		case tv.PastSucceeded:
			return succeeded
		case tv.PastFailed:
			return failed
		case tv.PastAttempted:
			return notSent
		default:
		}
	}
	if r.Code == "" && (r.Claim == "" || r.Claim == tv.ClaimPaused) {
		return paused
	}
	return unknown
}
