// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"path"
	"strings"

	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

// Envoyed is an MCP server behind an Envoy.
type Envoyed struct {
	strictyaml.Placed
	Path          string `yaml:"path" json:"path" jsonschema:"description=Path of its endpoint as clients write it."`
	Host          string `yaml:"host" json:"host,omitempty" jsonschema:"description=Name that clients call it by without a port. Any name that the gate itself is called by when left out."`
	Server        string `yaml:"server" json:"server" jsonschema:"description=The upstream whose tools these are."`
	SubjectHeader string `yaml:"subjectHeader" json:"subjectHeader,omitempty" jsonschema:"description=Header in which Envoy names the caller. It counts with the key of a service with the role authzen only. The caller is the subject of the key when left out."`
}

// plainPath is a path that every program reads in the same way.
func plainPath(p string) bool {
	return path.IsAbs(p) && path.Clean(p) == p && plain.Name{Signs: "._~/-", Max: 1024, Free: true}.Fits(p)
}

func (c *Config) checkEnvoy(add adder) {
	type place struct{ host, path string }
	seen := map[place]bool{}
	for i := range c.Envoy {
		e := &c.Envoy[i]
		at := place{strings.ToLower(e.Host), e.Path}
		switch {
		case !plainPath(e.Path):
			add(e.Placed, "envoy: path %q: a path such as /mcp is wanted, without a slash at its end", e.Path)
		case e.Host != "" && !hostName(e.Host):
			add(e.Placed, "envoy: host %q: a plain name or address is wanted, without a port", e.Host)
		case c.Upstreams[e.Server] == nil:
			add(e.Placed, "envoy: server %q: there is no such upstream; its tools have to be known", e.Server)
		case e.SubjectHeader != "" && !headerName.MatchString(e.SubjectHeader):
			add(e.Placed, "envoy: subjectHeader %q cannot name a header", e.SubjectHeader)
		case seen[at]:
			add(e.Placed, "envoy: this host and path are there already")
		}
		seen[at] = true
	}
}
