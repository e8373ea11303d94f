// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/doctor"
)

// Served checks the gate that is served on a configuration, or at an address.
type Served struct {
	Options daemon.Options // Config may be nil
	Server  string         // its address, where one was named
	Client  *http.Client
}

// Name implements [doctor.Check].
func (Served) Name() string { return "server" }

// Looks implements [doctor.Check].
func (Served) Looks() string {
	return "whether a gate answers, with this configuration and this policy"
}

// Look implements [doctor.Check].
func (s Served) Look(ctx context.Context) []doctor.Finding {
	at := s.Server
	var word daemon.Served
	if s.Options.Config != nil {
		served, err := daemon.ReadServed(s.Options.Config.Data)
		if err != nil {
			return doctor.Unseen("", "%v", err)
		}
		if len(served) > 0 && (at == "" || at == served[0].URL) {
			word, at = served[0], served[0].URL
		}
	}
	serve := "toolverdict serve --config FILE"
	if c := s.Options.Config; c != nil && c.File != "" {
		serve = "toolverdict serve --config " + c.File
	}
	if at == "" {
		return doctor.Warned(serve, "no gate is served: people cannot answer what is asked, and doors over HTTP are not tried")
	}
	if err := s.answers(ctx, at+"/livez"); err != nil {
		return doctor.Failed(serve, "no gate answers at %s: %v", at, err)
	}
	var found []doctor.Finding
	if err := s.answers(ctx, at+"/readyz"); err != nil {
		found = append(found, doctor.Failed("see the log of the gate", "the gate at %s cannot decide: %v", at, err)...)
	}
	found = append(found, exposed(at)...)
	if word.URL != "" {
		found = append(found, s.same(&word)...)
		found = append(found, s.policy(ctx)...)
	}
	if c := s.Options.Config; c != nil && c.Approvals.BaseURL != "" {
		if err := s.answers(ctx, strings.TrimSuffix(c.Approvals.BaseURL, "/")+"/livez"); err != nil {
			found = append(found, doctor.Warned("correct approvals.baseURL, or what stands in front of the gate", "people do not reach the gate at %s from here: %v", c.Approvals.BaseURL, err)...)
		}
	}
	if len(found) == 0 {
		return doctor.Good("a gate answers at %s, with this configuration and policy", at)
	}
	return found
}

// answers reports whether an address says that it is well.
func (s Served) answers(ctx context.Context, at string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return errors.New("it is no address")
	}
	res, err := s.Client.Do(req)
	if err != nil {
		return fmt.Errorf("%w", err)
	}
	defer res.Body.Close()
	said, err := io.ReadAll(io.LimitReader(res.Body, mostSaid))
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %s", res.StatusCode, strings.Join(strings.Fields(string(said)), " "))
	}
	return err
}

// mostSaid bounds what is read of an answer that is only shown.
const mostSaid = 512

// exposed warns of keys that travel where others can read them.
func exposed(at string) []doctor.Finding {
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "http" || config.Loopback(u.Hostname()) {
		return nil
	}
	return doctor.Warned("put TLS in front of the gate, and have it listen on 127.0.0.1", "keys travel to %s unencrypted", at)
}

// same compares what the gate was started with to what the files say now.
func (s Served) same(word *daemon.Served) []doctor.Finding {
	conf := s.Options.Config
	file, err := filepath.Abs(conf.File)
	if err != nil {
		return doctor.Unseen("", "%v", err)
	}
	var found []doctor.Finding
	if at, err := filepath.Abs(word.Config); err != nil || at != file {
		found = append(found, doctor.Warned("name that one with --config, or restart the gate", "the gate was started with another configuration: %s", word.Config)...)
	} else if info, err := os.Stat(file); err == nil && info.ModTime().After(word.Since) {
		found = append(found, doctor.Warned("restart the gate: it reads the configuration at the start only", "%s was changed after the gate was started", file)...)
	}
	if u, err := url.Parse(word.URL); err == nil && u.Host != conf.Listen {
		found = append(found, doctor.Noted("it listens on %s, and the configuration says %s", u.Host, conf.Listen)...)
	}
	return found
}

// policy compares what is in force with what the files say.
func (s Served) policy(ctx context.Context) (found []doctor.Finding) {
	kept, err := daemon.OpenPolicies(ctx, s.Options)
	if err != nil {
		return doctor.Unseen("", "read which policy is in force: %v", err)
	}
	defer func() {
		if err := kept.Close(); err != nil {
			found = append(found, doctor.Unseen("", "close the data folder: %v", err)...)
		}
	}()
	status, err := kept.Status(ctx)
	if err != nil {
		return doctor.Unseen("", "read which policy is in force: %v", err)
	}
	if status.Refused != nil {
		found = append(found, doctor.Failed("toolverdict policy status", "the last update of the policy was refused: what was in force stays")...)
	}
	if status.Hold != nil {
		return append(found, doctor.Noted("policy %s is in force because somebody went back to it ('toolverdict policy resume' ends that)", status.Active.Version)...)
	}
	if report, err := daemon.CheckPolicy(ctx, s.Options, nil); err == nil && report.Hash != status.Active.Hash && status.Refused == nil {
		found = append(found, doctor.Warned("send the gate a SIGHUP, or see 'toolverdict policy status'",
			"policy %s is in force, and the files say %s", status.Active.Version, report.Version)...)
	}
	return found
}
