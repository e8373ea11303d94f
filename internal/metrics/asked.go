// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"cmp"
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/toolverdict/toolverdict/internal/plain"
)

// asked are the figures that are read when somebody asks for them, so that they
// are true for what other processes on the same data did, too.
type asked struct{ Config }

// figure describes one of them.
type figure uint8

const (
	pending figure = iota
	ruleAsks
	ruleApproved
	ruleDecide
	ruleNoise
	revision
	loadFailures
	lastLoadError
	lastLoadTime
)

func (f figure) desc() *prometheus.Desc {
	switch f {
	case pending:
		return prometheus.NewDesc("toolverdict_approvals_pending", "Approvals that wait for a person.", nil, nil)
	case ruleAsks:
		return prometheus.NewDesc("toolverdict_rule_approvals_ended", "Questions of a rule that came to an answer in the last 30 days, silence included.", rule(), nil)
	case ruleApproved:
		return prometheus.NewDesc("toolverdict_rule_approval_ratio", "How many of them were approved, from 0 to 1.", rule(), nil)
	case ruleDecide:
		return prometheus.NewDesc("toolverdict_rule_approval_median_seconds", "Median time that people took to answer.", rule(), nil)
	case ruleNoise:
		return prometheus.NewDesc("toolverdict_rule_approval_noise", "1 where a rule is approved nearly always: it asks too much.", rule(), nil)
	case revision:
		return prometheus.NewDesc("toolverdict_policy_revision_info", "The policy in force; always 1.",
			[]string{"version", "hash", "source", "mode"}, nil)
	case loadFailures:
		return prometheus.NewDesc("toolverdict_policy_load_failures_total", "Policy updates that this process refused.", nil, nil)
	case lastLoadError:
		return prometheus.NewDesc("toolverdict_policy_last_load_error", "1 where the last policy update was refused, and what was in force stays.", nil, nil)
	default:
		return prometheus.NewDesc("toolverdict_policy_last_load_timestamp_seconds", "When the policy in force came into force.", nil, nil)
	}
}

// Describe implements [prometheus.Collector].
func (a *asked) Describe(out chan<- *prometheus.Desc) {
	for f := range lastLoadTime + 1 {
		out <- f.desc()
	}
}

// Collect implements [prometheus.Collector].
func (a *asked) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), askFor)
	defer cancel()
	tell := func(f figure, kind prometheus.ValueType, value float64, labels ...string) {
		m, err := prometheus.NewConstMetric(f.desc(), kind, value, labels...)
		if err != nil {
			m = prometheus.NewInvalidMetric(f.desc(), err) // the reader gets an error; nothing panics
		}
		out <- m
	}
	if n, err := a.Pending(ctx); err != nil {
		a.Log.Warn("metrics: approvals that wait could not be counted", "error", err)
	} else {
		tell(pending, prometheus.GaugeValue, float64(n))
	}
	a.tellRules(ctx, tell)
	p, err := a.Policy(ctx)
	if err != nil {
		a.Log.Warn("metrics: the policy in force could not be told", "error", err)
		return
	}
	// A policy's author writes the version, and who signs a bundle its name.
	tell(revision, prometheus.GaugeValue, 1, plain.Line(p.Version), plain.Line(p.Hash), plain.Line(p.Source), plain.Line(p.Mode))
	tell(loadFailures, prometheus.CounterValue, float64(p.Failures))
	refused := 0.0
	if p.Failed {
		refused = 1
	}
	tell(lastLoadError, prometheus.GaugeValue, refused)
	tell(lastLoadTime, prometheus.GaugeValue, float64(p.Since.UnixMilli())/1000)
}

func rule() []string { return []string{"rule"} }

// maxRules bounds the labels: whoever writes rules names them, so there are not
// many, but they change with the years.
const maxRules = 100

// noRule is the label of what the tool's own definition asks: no rule has such
// an id.
const noRule = "(tool)"

// tellRules tells how people answer what each rule asks.
func (a *asked) tellRules(ctx context.Context, tell func(f figure, kind prometheus.ValueType, value float64, labels ...string)) {
	rules, err := a.Rules(ctx)
	if err != nil {
		a.Log.Warn("metrics: how approvals were answered could not be told", "error", err)
		return
	}
	told := map[string]bool{}
	for _, r := range rules[:min(len(rules), maxRules)] {
		name := plain.Line(cmp.Or(r.Rule, noRule))
		if told[name] {
			continue // twice in a page, a figure makes all of it unreadable
		}
		told[name] = true
		noise := 0.0
		if r.Noise {
			noise = 1
		}
		tell(ruleAsks, prometheus.GaugeValue, float64(r.Ended), name)
		tell(ruleNoise, prometheus.GaugeValue, noise, name)
		if r.Ended > 0 { // of none, no share can be told
			tell(ruleApproved, prometheus.GaugeValue, r.Rate, name)
		}
		if r.Answered > 0 {
			tell(ruleDecide, prometheus.GaugeValue, r.Median.Seconds(), name)
		}
	}
}
