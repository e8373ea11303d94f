// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/identity"
)

// keyVariable is the environment variable that hands the generated API key to the gate.
const keyVariable = "TOOLVERDICT_E2E_KEY"

// Upstream is one server behind the gate: a command (stdio) or a URL (Streamable HTTP).
type Upstream struct {
	Name    string
	Command []string
	Env     []string // names let through from the gate's environment
	URL     string
	Shared  bool // one process for all callers of the stateless era
}

// GateSpec says how to configure a gate.
type GateSpec struct {
	Bin       string // the toolverdict binary
	Dir       string // an empty folder for config, policy and data
	Policy    string // YAML
	Catalog   string // YAML overlay; empty: none
	Upstreams []Upstream
}

// Gate is a configured gate folder. It is not running until [Gate.Serve] or the command that
// [Gate.StdioArgv] gives is started.
type Gate struct {
	Key  string // API key of the one agent
	spec GateSpec
}

// NewGate writes the config, the policy and the catalog into the spec's folder.
func NewGate(s GateSpec) (*Gate, error) {
	key, err := identity.NewKey("e2e", rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make an API key: %v", err)
	}
	g := &Gate{Key: key.Reveal(), spec: s}
	files := map[string]string{"toolverdict.yaml": g.config(), "policy.yaml": s.Policy}
	if s.Catalog != "" {
		files["catalog.yaml"] = s.Catalog
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(text), 0o600); err != nil {
			return nil, fmt.Errorf("write the gate's %s: %v", name, err)
		}
	}
	return g, nil
}

func (g *Gate) config() string {
	var b strings.Builder
	b.WriteString("version: 1\nlisten: 127.0.0.1:0\ndata: ./data\npolicies: [policy.yaml]\n")
	if g.spec.Catalog != "" {
		b.WriteString("catalogs: [catalog.yaml]\n")
	}
	if len(g.spec.Upstreams) > 0 {
		b.WriteString("upstreams:\n")
	}
	for _, u := range g.spec.Upstreams {
		fmt.Fprintf(&b, "  %s:\n    pin: first-sight\n", u.Name)
		if u.URL != "" {
			fmt.Fprintf(&b, "    url: %s\n", flow(u.URL))
			continue
		}
		fmt.Fprintf(&b, "    command: %s\n", flow(u.Command))
		if u.Shared {
			b.WriteString("    shared: true\n")
		}
		if len(u.Env) > 0 {
			fmt.Fprintf(&b, "    env: %s\n", flow(u.Env))
		}
	}
	fmt.Fprintf(&b, "subjects:\n  - {id: agent, kind: agent, user: u_1, keys: [{from: 'env:%s'}]}\n", keyVariable)
	b.WriteString("stdio: {subject: agent}\n")
	return b.String()
}

// flow renders a value as YAML in flow style, of which JSON is a part.
func flow(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and lists of strings always encode
	}
	return string(text)
}

// Spec is what the gate was made from, without its folder, for making another one like it.
func (g *Gate) Spec() GateSpec {
	s := g.spec
	s.Dir = ""
	return s
}

// ConfigPath is the gate's config file.
func (g *Gate) ConfigPath() string { return filepath.Join(g.spec.Dir, "toolverdict.yaml") }

// DataDir is the folder that the gate keeps its state in.
func (g *Gate) DataDir() string { return filepath.Join(g.spec.Dir, "data") }

// Env is the environment for any of the gate's commands: the caller's and the API key.
func (g *Gate) Env() []string {
	return append(slices.Clone(os.Environ()), keyVariable+"="+g.Key)
}

// Serve starts the gate's HTTP front and returns its address, such as 127.0.0.1:8711. The endpoint
// of an upstream is [Gate.Endpoint]; every request needs the key as a bearer token.
func (g *Gate) Serve(ctx context.Context) (*Proc, string, error) {
	argv := []string{g.spec.Bin, "serve", "--config", g.ConfigPath(), "--data", g.DataDir(), "--listen", "127.0.0.1:0"}
	p, err := Start(Spec{Argv: argv, Dir: g.spec.Dir, Env: g.Env()})
	if err != nil {
		return nil, "", err
	}
	rest, err := p.WaitLine(ctx, "listening on http://")
	if err != nil {
		p.Stop()
		return nil, "", err
	}
	addr, _, _ := strings.Cut(rest, " ")
	return p, strings.TrimSuffix(addr, "/"), nil
}

// Endpoint is the path of an upstream's MCP endpoint.
func Endpoint(upstream string) string { return "/mcp/" + upstream }

// WrapArgv is the command that stands in front of any server's command, which the configuration
// need not know. It needs [Gate.Env].
func (g *Gate) WrapArgv(upstream string, command []string) []string {
	return append(append(g.StdioArgv(upstream), "--"), command...)
}

// StdioArgv is the command that serves one upstream over standard input and output. It needs
// [Gate.Env].
func (g *Gate) StdioArgv(upstream string) []string {
	return []string{g.spec.Bin, "mcp", "--config", g.ConfigPath(), "--data", g.DataDir(), "--upstream", upstream}
}
