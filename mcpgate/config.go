// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate/internal/engine"
	"github.com/toolverdict/toolverdict/mcpgate/internal/seal"
)

// Gate is the choke point that every call goes through: a *toolverdict.Gate.
type Gate = engine.Gate

// Tools is what is known of tools at this moment. Every method answers from the
// catalog in force.
type Tools = engine.Tools

// Redactor hides held secrets: a toolverdict.Redactor.
type Redactor = engine.Redactor

// Desk is where approvals are: an *approval.Desk.
type Desk = engine.Desk

// KeySize is the length of Config.Key in bytes.
const KeySize = seal.KeySize

// Config holds what the fronts are made of. Fields without a default are
// required.
type Config struct {
	Gate     Gate
	Tools    Tools
	Redactor Redactor
	Servers  []Server
	// Authenticate returns the subject of a bearer token. It is the only source
	// of a subject over HTTP.
	Authenticate func(bearer string) (toolverdict.Subject, bool)
	// Key seals what clients carry for the gate: session ids and the state of
	// paused calls. KeySize random bytes, the same on every node, kept over
	// restarts; another key ends what was sealed with the old one.
	Key []byte
	Now func() time.Time

	// Desk is where approvals are. Nil means that no rule can take a client's word
	// for its user's, and that calls which wait never become tasks.
	Desk Desk
	// Run returns the run of a subject: facts of the host that only tighten. Nil
	// means the zero Run.
	Run func(s toolverdict.Subject) toolverdict.Run
	// Log is told of faults, never of arguments. Nil means nowhere.
	Log *slog.Logger
	// Changed is told, from any goroutine, that a server's tools are not what
	// they were when the catalog was built. It must not block. May be nil.
	Changed func(server string)

	BaseURL     string            // where people reach the gate's pages: links to approvals start with it; "" for no links
	Hosts       []string          // names that clients may call this front by, besides loopback ones; without ports
	Origins     []string          // web origins that may call it, besides its own
	Environment map[string]string // host facts of every call
	Hold        time.Duration     // how long a call is held for its approval before it is answered; 0 answers at once
	ListTTL     time.Duration     // longest time that clients may cache a list; 0 means 30 s
	Patience    time.Duration     // longest wait for the answer to a passive message; 0 means 60 s
	MaxMessage  int               // largest message from a client, in bytes; 0 means 4 MiB
	MaxInFlight int               // HTTP requests served at once, streams included; 0 means 1024
}

// Server is one upstream.
type Server struct {
	Name     string // as in "/mcp/NAME" and in the full names of its tools
	Backend  mcpwire.Backend
	ReadOnly bool // every run against it is read-only
	// Isolated says that the server tells subjects apart: each has a process of
	// its own. Only then are its tasks listed.
	Isolated bool
}

// Defaults of Config.
const (
	defaultListTTL     = 30 * time.Second
	defaultPatience    = time.Minute
	defaultMaxMessage  = 4 << 20
	defaultMaxInFlight = 1024
)

func (c *Config) check() error {
	for name, missing := range map[string]bool{
		"Gate": c.Gate == nil, "Tools": c.Tools == nil, "Redactor": c.Redactor == nil,
		"Authenticate": c.Authenticate == nil, "Now": c.Now == nil, "Servers": len(c.Servers) == 0,
	} {
		if missing {
			return fmt.Errorf("%s is missing", name)
		}
	}
	if err := c.checkServers(); err != nil {
		return err
	}
	if c.BaseURL != "" {
		u, err := url.Parse(c.BaseURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return fmt.Errorf("BaseURL must be http:// or https://, a host and at most a path")
		}
	}
	for _, host := range c.Hosts {
		if host == "" || strings.ContainsAny(host, "/@* ") {
			return fmt.Errorf("host %q must be a plain name or address, without a port", host)
		}
	}
	for _, origin := range c.Origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != origin {
			return fmt.Errorf("origin %q must be a scheme and a host, as in https://app.example", origin)
		}
	}
	return nil
}

var serverName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func (c *Config) checkServers() error {
	seen := map[string]bool{}
	for _, s := range c.Servers {
		switch {
		case !serverName.MatchString(s.Name):
			return fmt.Errorf("server name %q must be letters, digits, dots, dashes and underscores", s.Name)
		case seen[s.Name]:
			return fmt.Errorf("server %q is given twice", s.Name)
		case s.Backend == nil:
			return fmt.Errorf("server %q has no backend", s.Name)
		}
		seen[s.Name] = true
	}
	return nil
}

func (c *Config) fill() {
	c.ListTTL = orDefault(c.ListTTL, defaultListTTL)
	c.Patience = orDefault(c.Patience, defaultPatience)
	c.MaxMessage = orDefault(c.MaxMessage, defaultMaxMessage)
	c.MaxInFlight = orDefault(c.MaxInFlight, defaultMaxInFlight)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Run == nil {
		c.Run = func(toolverdict.Subject) toolverdict.Run { return toolverdict.Run{} }
	}
}

func orDefault[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}
