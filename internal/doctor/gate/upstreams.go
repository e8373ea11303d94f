// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/doctor"
)

// Upstream checks one server behind the gate.
type Upstream struct {
	Options daemon.Options
	Server  string
}

// Name implements [doctor.Check].
func (u Upstream) Name() string { return "upstream " + u.Server }

// Looks implements [doctor.Check].
func (u Upstream) Looks() string {
	return "whether it answers, and its tools are those that were reviewed"
}

// Look implements [doctor.Check].
func (u Upstream) Look(ctx context.Context) (found []doctor.Finding) {
	o := u.Options
	conf := *o.Config
	if conf.Upstreams[u.Server].Local {
		return doctor.Good("callers run its tools themselves")
	}
	conf.Upstreams = map[string]*config.Upstream{u.Server: conf.Upstreams[u.Server]}
	reviewed := true
	if _, err := os.Stat(filepath.Join(conf.Data, databaseFile)); errors.Is(err, fs.ErrNotExist) {
		reviewed = false // nothing was; and looking makes no data folder
		if conf.Data, err = os.MkdirTemp("", "toolverdict-doctor-"); err != nil {
			return doctor.Unseen("", "make a folder: %v", err)
		}
		defer func() { _ = os.RemoveAll(conf.Data) }()
	}
	o.Config = &conf
	review, err := daemon.OpenReview(ctx, o)
	if review == nil {
		return doctor.Unseen("", "%v", err)
	}
	defer func() {
		if err := review.Close(); err != nil {
			found = append(found, doctor.Noted("it did not end as it should: %v", err)...)
		}
	}()
	if err != nil {
		return doctor.Failed("start it, or correct its command or url in "+conf.File, "%v", err)
	}
	return u.states(review.Tools(), reviewed)
}

func (u Upstream) states(tools []daemon.Reviewed, reviewed bool) []doctor.Finding {
	by := map[string][]string{}
	for _, t := range tools {
		by[t.State] = append(by[t.State], t.Tool)
	}
	if !reviewed || u.Options.Config.Upstreams[u.Server].Pin == "first-sight" {
		by["listed"] = append(by["listed"], by["new"]...)
		delete(by, "new")
	}
	var found []doctor.Finding
	for _, c := range []struct {
		state, text string
		level       doctor.Level
		fix         string
	}{
		{"changed", "differ from what was reviewed, and are held back", doctor.Failure, "toolverdict tools diff, then 'toolverdict tools pin TOOL'"},
		{"new", "wait for review, and are held back", doctor.Warning, "toolverdict tools diff, then 'toolverdict tools pin TOOL'"},
		{"refused", "cannot be used as they are", doctor.Warning, "toolverdict tools diff says why"},
		{"gone", "were reviewed, and the server no longer announces them", doctor.Note, ""},
	} {
		if names := by[c.state]; len(names) > 0 {
			found = append(found, doctor.Finding{Level: c.level, Text: fmt.Sprintf("%s %s", some(names), c.text), Fix: c.fix})
		}
	}
	if len(found) == 0 {
		return doctor.Good("it answers with %d tools", len(by["listed"]))
	}
	return found
}

// some names the first few of a list.
func some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
