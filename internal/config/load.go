// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

// Load reads and checks a file. The error holds every problem found.
func Load(path string) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return Parse(path, data)
}

// Parse is Load for a file that was read already.
func Parse(path string, data []byte) (*Config, error) {
	c := &Config{}
	if err := strictyaml.Decode(path, data, c); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	c.fill()
	if problems := c.check(); len(problems) > 0 {
		return nil, problems
	}
	c.resolvePaths(dir)
	return c, nil
}

func (c *Config) fill() {
	if c.Listen == "" {
		c.Listen = "127.0.0.1:8711"
	}
	if c.Data == "" {
		c.Data = "data"
	}
	if c.Mode == "" {
		c.Mode = ModeEnforce
	}
	if c.Watch == "" {
		c.Watch = "files"
	}
	if c.Metrics == "" {
		c.Metrics = MetricsKeys
	}
	if c.Bundle != nil {
		c.Bundle.fill()
	}
	if len(c.Approvals.Approvers) == 0 {
		c.Approvals.Approvers = []string{"role:approver"}
	}
	for _, u := range c.Upstreams {
		if u.Pin == "" {
			u.Pin = "manual"
		}
	}
}

func (c *Config) resolvePaths(dir string) {
	c.Data = absolute(dir, c.Data)
	c.Hooks.resolve(dir)
	for i := range c.Policies {
		c.Policies[i] = absolute(dir, c.Policies[i])
	}
	for i := range c.Catalogs {
		c.Catalogs[i] = absolute(dir, c.Catalogs[i])
	}
	if c.Bundle != nil && c.Bundle.CA != "" {
		c.Bundle.CA = absolute(dir, c.Bundle.CA)
	}
	for _, u := range c.Upstreams {
		if u.Dir != "" && !strings.HasPrefix(u.Dir, dataWord) {
			u.Dir = absolute(dir, u.Dir)
		}
		// A program with a separator in its name is a path of the file's folder;
		// a bare name is looked up in PATH.
		if len(u.Command) > 0 && strings.ContainsRune(u.Command[0], filepath.Separator) && !strings.HasPrefix(u.Command[0], dataWord) {
			u.Command[0] = absolute(dir, u.Command[0])
		}
	}
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// dataWord stands for the data folder in what is said of a command.
const dataWord = "{data}"

// Fill puts the data folder in the place of {data}. It is done last, because
// the command line may name another folder than the file.
func (c *Config) Fill(text string) string { return strings.ReplaceAll(text, dataWord, c.Data) }

// Dir returns the folder that the file's relative paths start from.
func (c *Config) Dir() string {
	dir, err := filepath.Abs(filepath.Dir(c.File))
	if err != nil {
		return filepath.Dir(c.File)
	}
	return dir
}

// Names are plain so that they can stand in tool names, URLs and file names.
var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	headerName   = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
)

func upstreamName(s string) bool { return plain.Name{Signs: "_-", Max: 63, Lower: true}.Fits(s) }

func subjectID(s string) bool { return plain.Name{Signs: "_.@-", Max: 127}.Fits(s) }

func hostName(s string) bool { return plain.Name{Signs: ".:_-", Max: 253, Free: true}.Fits(s) }

func (c *Config) check() strictyaml.Problems {
	var ps strictyaml.Problems
	add := func(p strictyaml.Placed, format string, args ...any) {
		ps = append(ps, p.Problem(format, args...))
	}
	if c.Version != 1 {
		add(c.Placed, "version: 1 is needed: it names the format of this file")
	}
	if len(c.Policies) == 0 && c.Bundle == nil {
		add(c.Placed, "policies: name at least one policy file: a gate without rules would deny everything")
	}
	if c.Bundle != nil {
		c.Bundle.check(add)
	}
	if c.Mode != ModeEnforce && c.Mode != ModeObserve {
		add(c.Placed, "mode: enforce or observe")
	}
	if c.Watch != "files" && c.Watch != "none" {
		add(c.Placed, "watch: files or none")
	}
	if c.Metrics != MetricsKeys && c.Metrics != MetricsOpen && c.Metrics != MetricsNone {
		add(c.Placed, "metrics: keys, open or none")
	}
	c.Approvals.check(c.Placed, add)
	if n := c.Limits.ArgumentBytes; n != 0 && (n < 1<<10 || n > 64<<20) {
		add(c.Placed, "limits.argumentBytes: between 1024 and 67108864")
	}
	if n := c.Limits.Depth; n != 0 && (n < 4 || n > 512) {
		add(c.Placed, "limits.depth: between 4 and 512")
	}
	for _, h := range c.Hosts {
		if !hostName(h) {
			add(c.Placed, "hosts: %q: a plain name or address is wanted, without a port", h)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Upstreams)) {
		c.Upstreams[name].check(name, add)
	}
	c.checkChannels(add)
	c.checkGrants(add)
	c.checkHooks(add)
	c.checkEnvoy(add)
	c.checkSubjects(add)
	c.checkKeys(add)
	c.checkListen(add)
	return ps
}

func (a *Approvals) check(at strictyaml.Placed, add adder) {
	if n := a.OpenPerRun; n < 0 || n > 1000 {
		add(at, "approvals.openPerRun: 1 to 1000")
	}
	if h := a.Hold; h < 0 || h > 5*time.Minute {
		add(at, "approvals.hold: 5m at most")
	}
	if a.Pending > 24*time.Hour {
		add(at, "approvals.pending: 24h at most")
	}
	if a.BaseURL != "" && !plainURL(a.BaseURL) {
		add(at, "approvals.baseURL: an http or https address without user, query or fragment is wanted")
	}
}

type adder func(p strictyaml.Placed, format string, args ...any)

func (u *Upstream) check(name string, add adder) {
	if !upstreamName(name) {
		add(u.Placed, "upstream %q: a name is 1 to 63 of a-z, 0-9, _ and -", name)
	}
	if name == toolverdict.CanaryName {
		add(u.Placed, "upstream %q: this name is kept for calls that 'toolverdict doctor' makes to see them denied: rename it", name)
	}
	switch {
	case u.Local:
		u.checkLocal(name, add)
	case len(u.Command) == 0 && u.URL == "":
		add(u.Placed, "upstream %q: give a command, a url, or local: true", name)
	case len(u.Command) > 0 && u.URL != "":
		add(u.Placed, "upstream %q: give a command or a url, not both", name)
	case u.URL != "" && !plainURL(u.URL):
		add(u.Placed, "upstream %q: url: an http or https address without user, query or fragment is wanted", name)
	case u.URL != "" && (len(u.Env) > 0 || len(u.Set) > 0 || u.Dir != "" || u.Shared):
		add(u.Placed, "upstream %q: env, set, dir and shared belong to a command", name)
	case u.URL == "" && len(u.Headers) > 0:
		add(u.Placed, "upstream %q: headers belong to a url", name)
	}
	if u.Pin != "manual" && u.Pin != "first-sight" {
		add(u.Placed, "upstream %q: pin: manual or first-sight", name)
	}
	for _, v := range slices.Concat(u.Env, slices.Sorted(maps.Keys(u.Set))) {
		if !variableName.MatchString(v) {
			add(u.Placed, "upstream %q: %q cannot name a variable", name, v)
		}
	}
	for _, h := range slices.Sorted(maps.Keys(u.Headers)) {
		if !headerName.MatchString(h) {
			add(u.Placed, "upstream %q: %q cannot name a header", name, h)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(u.Methods)) {
		if u.Methods[m] != "allow" {
			add(u.Placed, "upstream %q: methods: %q: the only word here is allow; leave the method out to deny it", name, m)
		}
	}
}

// checkLocal refuses what belongs to a server: there is none.
func (u *Upstream) checkLocal(name string, add adder) {
	if len(u.Command) > 0 || u.URL != "" || u.Dir != "" || len(u.Env)+len(u.Set)+len(u.Headers)+len(u.Methods) > 0 || u.TrustAnnotations || u.Shared || u.ReadOnly {
		add(u.Placed, "upstream %q: local: true is of tools that callers run themselves: nothing but timeout goes with it", name)
	}
}

func (c *Config) checkSubjects(add adder) {
	seen := map[string]bool{}
	for i := range c.Subjects {
		s := &c.Subjects[i]
		switch {
		case !subjectID(s.ID):
			add(s.Placed, "subject: id: 1 to 127 letters, digits, _ . @ -")
		case seen[s.ID]:
			add(s.Placed, "subject %q is there already", s.ID)
		}
		seen[s.ID] = true
		if s.Kind != "agent" && s.Kind != "person" && s.Kind != "service" {
			add(s.Placed, "subject %q: kind %q: agent, person or service is wanted", s.ID, s.Kind)
		}
		s.checkPassword(add)
		for _, name := range s.Claims {
			if _, held := c.Env[name]; held || !variableName.MatchString(name) {
				add(s.Placed, "subject %q: claims: %q cannot be claimed: a fact is letters, digits and _, and not one that env sets", s.ID, name)
			}
		}
		for _, k := range s.Keys {
			k.check(s.ID, add)
		}
	}
	if c.Stdio.Subject != "" && !seen[c.Stdio.Subject] {
		add(c.Stdio.Placed, "stdio.subject: there is no subject %q", c.Stdio.Subject)
	}
	for _, a := range c.Approvals.Approvers {
		if kind, name, _ := strings.Cut(a, ":"); kind != "role" && kind != "group" && kind != "user" || name == "" {
			add(c.Placed, "approvals.approvers: role:NAME, group:NAME or user:ID")
		}
	}
}

func (k *Key) check(id string, add adder) {
	forms := 0
	for _, given := range []bool{k.Hash != "", !k.From.IsZero(), k.Example} {
		if given {
			forms++
		}
	}
	if forms != 1 {
		add(k.Placed, "subject %q: a key has exactly one of hash, from, example: true", id)
	}
	if strings.HasPrefix(k.From.ref, "text:") {
		add(k.Placed, "subject %q: a key must not stand in the file: use env: or file:, or its hash", id)
	}
}

// SetListen changes the address, under the same rule as the file's.
func (c *Config) SetListen(address string) error {
	c.Listen = address
	var ps strictyaml.Problems
	c.checkListen(func(p strictyaml.Placed, format string, args ...any) {
		ps = append(ps, p.Problem(format, args...))
	})
	if len(ps) > 0 {
		return errors.New(ps[0].Message)
	}
	return nil
}

// checkListen refuses to serve strangers: an address that others can reach
// needs somebody who can sign in.
func (c *Config) checkListen(add adder) {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		add(c.Placed, "listen: HOST:PORT is wanted, such as 127.0.0.1:8711")
		return
	}
	hasKey := slices.ContainsFunc(c.Subjects, func(s Subject) bool {
		return slices.ContainsFunc(s.Keys, func(k Key) bool { return !k.Example })
	})
	if !Loopback(host) && !hasKey {
		add(c.Placed, "listen: %s can be reached from other machines and no subject has a key of its own: add one ('toolverdict keys new') or listen on 127.0.0.1", c.Listen)
	}
}

// Loopback reports whether a host is certainly this machine only.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func plainURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}
