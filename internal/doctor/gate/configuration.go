// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package gate checks what a gate is made of and whether it runs so: its
// configuration, who may call and approve, its policies, the servers behind it, and
// the process that serves.
package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/daemon/subjects"
	"github.com/toolverdict/toolverdict/internal/doctor"
)

// Configuration checks the file.
type Configuration struct{ Options daemon.Options }

// Name implements [doctor.Check].
func (Configuration) Name() string { return "configuration" }

// Looks implements [doctor.Check].
func (Configuration) Looks() string {
	return "whether the configuration holds together, and its secrets are there"
}

// Look implements [doctor.Check].
func (c Configuration) Look(context.Context) []doctor.Finding {
	conf := c.Options.Config
	var found []doctor.Finding
	if conf.Mode == config.ModeObserve {
		found = append(found, doctor.Failed("mode: enforce in "+conf.File, "mode: observe: no rule is enforced, calls are only written down")...)
	}
	for _, hint := range conf.Hints(exec.LookPath) {
		found = append(found, doctor.Warned("edit "+conf.File, "%s", hint.Error())...)
	}
	// Files are the same for everybody; variables are those of the gate's process.
	if _, err := subjects.ReadSecrets(conf, "", func(string) (string, bool) { return "set", true }); err != nil {
		found = append(found, doctor.Failed("put the file there, chmod 600", "%v", err)...)
	} else if _, err := subjects.ReadSecrets(conf, "", c.Options.Getenv); err != nil {
		found = append(found, doctor.Noted("not set here, and perhaps set for the gate: %v", err)...)
	}
	if len(found) == 0 {
		return doctor.Good("%s: %d upstreams, %d subjects", conf.File, len(conf.Upstreams), len(conf.Subjects))
	}
	return found
}

// Subjects checks that whoever is named can sign in.
type Subjects struct{ Config *config.Config }

// Name implements [doctor.Check].
func (Subjects) Name() string { return "subjects" }

// Looks implements [doctor.Check].
func (Subjects) Looks() string { return "whether each subject has a key" }

// Look implements [doctor.Check].
func (s Subjects) Look(context.Context) []doctor.Finding {
	var none, unmade []string
	for i := range s.Config.Subjects {
		sub := &s.Config.Subjects[i]
		if len(sub.Keys) == 0 && sub.Password == nil && sub.ID != s.Config.Stdio.Subject {
			none = append(none, sub.ID)
		}
		for _, key := range sub.Keys {
			if _, err := os.Stat(ExampleKey(s.Config, sub.ID)); key.Example && errors.Is(err, fs.ErrNotExist) {
				unmade = append(unmade, sub.ID)
			}
		}
	}
	var found []doctor.Finding
	if len(none) > 0 {
		found = append(found, doctor.Noted("nobody can sign in as %s: they have no key ('toolverdict keys new' makes one)", strings.Join(none, ", "))...)
	}
	if len(unmade) > 0 {
		found = append(found, doctor.Noted("the keys of %s are made at the next start of the gate", strings.Join(unmade, ", "))...)
	}
	if len(s.Config.Subjects) == 0 {
		return doctor.Warned("name them under subjects: in "+s.Config.File, "there is nobody who may call or approve")
	}
	if len(found) == 0 {
		return doctor.Good("each of %d can sign in", len(s.Config.Subjects))
	}
	return found
}

// ExampleKey is the file with the key that an example made for a subject.
func ExampleKey(c *config.Config, id string) string { return filepath.Join(c.Data, "keys", id) }

// KeyOf is the key of the first of these subjects for which an example made one, ""
// where it made none.
func KeyOf(c *config.Config, ids []string) string {
	for _, id := range ids {
		if id == "" {
			continue
		}
		if b, err := os.ReadFile(ExampleKey(c, id)); err == nil {
			return strings.TrimSpace(string(b))
		}
	}
	return ""
}

// numbered cuts a list of findings, and says how many are left out.
func numbered(found []doctor.Finding, most int, where string) []doctor.Finding {
	if len(found) <= most {
		return found
	}
	rest := fmt.Sprintf("%d more: %s", len(found)-most, where)
	worst := doctor.Report{Findings: found[most:]}
	return append(found[:most:most], doctor.Finding{Level: worst.Worst(), Text: rest})
}
