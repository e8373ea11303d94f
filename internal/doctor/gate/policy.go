// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"fmt"

	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/doctor"
)

// Policy checks the policies, as "policy check" does.
type Policy struct{ Options daemon.Options }

// Name implements [doctor.Check].
func (Policy) Name() string { return "policy" }

// Looks implements [doctor.Check].
func (Policy) Looks() string { return "whether the policies load, and every rule can match" }

// mostTold bounds what is told of one kind.
const mostTold = 10

// Look implements [doctor.Check].
func (p Policy) Look(ctx context.Context) []doctor.Finding {
	file := p.Options.Config.File
	report, err := daemon.CheckPolicy(ctx, p.Options, nil)
	if err != nil {
		return doctor.Failed("toolverdict config check "+file, "a gate would not start with it: %v", err)
	}
	var found []doctor.Finding
	placed := map[string]bool{}
	for _, f := range report.Findings {
		text := fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
		found = append(found, doctor.Finding{Level: doctor.Warning, Text: text, Fix: f.Hint})
		placed[text] = true
	}
	for _, w := range report.Warnings[min(len(report.Findings), len(report.Warnings)):] { // of catalogs
		found = append(found, doctor.Finding{Level: doctor.Warning, Text: w})
	}
	found = numbered(found, mostTold, "toolverdict config check "+file)
	if len(found) == 0 {
		return doctor.Good("version %s: %d rules, %d tools", report.Version, report.Rules, report.Tools)
	}
	return found
}
