// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/daemon/users"
	"github.com/toolverdict/toolverdict/internal/doctor"
)

// Approvers checks that there is somebody to answer what is asked.
type Approvers struct {
	Options  daemon.Options
	Channels func(ctx context.Context) []doctor.Finding // tries them; nil where nobody asked for that
}

// Name implements [doctor.Check].
func (Approvers) Name() string { return "approvals" }

// Looks implements [doctor.Check].
func (Approvers) Looks() string { return "whether somebody can answer what each rule asks" }

// person is somebody who can sign in and approve.
type person struct {
	id            string
	roles, groups []string
}

// Look implements [doctor.Check].
func (a Approvers) Look(ctx context.Context) []doctor.Finding {
	report, err := daemon.CheckPolicy(ctx, a.Options, nil)
	if err != nil {
		return doctor.Unseen("", "the policy does not load, so it is not known who is asked")
	}
	people, err := a.people(ctx)
	if err != nil {
		return doctor.Unseen("", "read who can sign in: %v", err)
	}
	asks := []tv.Requirement{{Quorum: 1}} // what tools of high risk ask
	for _, rule := range report.Loaded {
		asks = append(asks, rule.Asks...)
	}
	var found []doctor.Finding
	for i := range asks {
		found = append(found, a.answered(&asks[i], people)...)
	}
	found = append(numbered(found, mostTold, "name approvers"), a.channels(ctx)...)
	if len(found) == 0 {
		return doctor.Good("%d rules ask, and each has somebody to answer", len(asks)-1)
	}
	return found
}

// answered finds subjects whose calls nobody could answer for one question.
func (a Approvers) answered(r *tv.Requirement, people []person) []doctor.Finding {
	conf := a.Options.Config
	named := slices.Concat(r.Approvers, r.Escalate.To)
	if len(r.Approvers) == 0 {
		named = slices.Concat(conf.Approvals.Approvers, r.Escalate.To)
	}
	var stuck []string
	for i := range conf.Subjects {
		asks := &conf.Subjects[i]
		n := 0
		for _, p := range people {
			self := strings.EqualFold(p.id, asks.ID) || strings.EqualFold(p.id, asks.User)
			if p.isOneOf(named) && (r.SelfApproval || !self) {
				n++
			}
		}
		if n < max(r.Quorum, 1) && asks.Kind != "person" {
			stuck = append(stuck, asks.ID)
		}
	}
	if len(stuck) == 0 {
		return nil
	}
	what := "tools of high risk"
	if r.Rule != "" {
		what = "rule " + r.Rule
	}
	needed := "nobody"
	if r.Quorum > 1 {
		needed = fmt.Sprintf("fewer than the %d needed", r.Quorum)
	}
	return doctor.Warned("toolverdict users add NAME --role ROLE, or name others as approvers",
		"%s: what %s asks can be answered by %s of %s besides whoever asks: such calls never run", what, strings.Join(stuck, ", "), needed, strings.Join(named, ", "))
}

func (p *person) isOneOf(named []string) bool {
	return slices.ContainsFunc(named, func(who string) bool {
		kind, name, _ := strings.Cut(who, ":")
		return kind == "user" && name == p.id || kind == "role" && slices.Contains(p.roles, name) || kind == "group" && slices.Contains(p.groups, name)
	})
}

// people are those who can sign in: of the configuration, and those who were added.
func (a Approvers) people(ctx context.Context) (all []person, err error) {
	conf := a.Options.Config
	for i := range conf.Subjects {
		if s := &conf.Subjects[i]; s.Kind == "person" && (len(s.Keys) > 0 || s.Password != nil) {
			all = append(all, person{s.ID, s.Roles, s.Groups})
		}
	}
	if _, err := os.Stat(filepath.Join(conf.Data, databaseFile)); errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	known, err := users.Open(ctx, withoutExamples(conf), a.Options.Now)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, known.Close()) }()
	listed, err := known.List(ctx)
	for _, l := range listed {
		if !l.Configured {
			all = append(all, person{l.ID, l.Roles, l.Groups})
		}
	}
	return all, err
}

// databaseFile is the store's file in a data folder.
const databaseFile = "toolverdict.db"

// withoutExamples is a configuration whose reading makes no password.
func withoutExamples(c *config.Config) *config.Config {
	out := *c
	out.Subjects = slices.Clone(c.Subjects)
	for i := range out.Subjects {
		out.Subjects[i].Password = nil
	}
	return &out
}

func (a Approvers) channels(ctx context.Context) []doctor.Finding {
	names := slices.Sorted(maps.Keys(a.Options.Config.Channels))
	switch {
	case len(names) == 0:
		return nil
	case a.Channels == nil:
		return doctor.Noted("channels %s: not tried: --channels sends a card to each", strings.Join(names, ", "))
	}
	found := a.Channels(ctx)
	slices.SortStableFunc(found, func(a, b doctor.Finding) int { return cmp.Compare(a.Text, b.Text) })
	return found
}
