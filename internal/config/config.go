// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"time"

	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

// Config is the whole file. Relative paths in it are relative to its folder;
// [Load] makes them absolute.
type Config struct {
	strictyaml.Placed
	Version   int                  `yaml:"version" json:"version" jsonschema:"enum=1,description=Version of this format."`
	Listen    string               `yaml:"listen" json:"listen,omitempty" jsonschema:"description=Address of the HTTP front. 127.0.0.1:8711 when left out; an address that is not loopback needs a subject with a key."`
	Hosts     []string             `yaml:"hosts" json:"hosts,omitempty" jsonschema:"description=Names besides loopback ones that clients call the HTTP front by; any other is refused."`
	Data      string               `yaml:"data" json:"data,omitempty" jsonschema:"description=Folder of the store and the keys. ./data when left out."`
	Policies  []string             `yaml:"policies" json:"policies,omitempty" jsonschema:"minItems=1,description=Policy files and folders of them; they load as one set. Needed unless there is a bundle."`
	Bundle    *Bundle              `yaml:"bundle" json:"bundle,omitempty" jsonschema:"description=Signed policy files that are fetched from a URL; they load as one set with the others."`
	Mode      string               `yaml:"mode" json:"mode,omitempty" jsonschema:"enum=enforce,enum=observe,description=Whether rules are enforced. enforce when left out; observe records what would be decided and lets calls through and needs --observe at the start as well."`
	Watch     string               `yaml:"watch" json:"watch,omitempty" jsonschema:"enum=files,enum=none,description=Whether changed policy and catalog files are taken up at once. files when left out; with none they are read at the start and at SIGHUP."`
	Metrics   string               `yaml:"metrics" json:"metrics,omitempty" jsonschema:"enum=keys,enum=open,enum=none,description=Who reads GET /metrics. keys when left out: those with a key and the role metrics and auditors admins and approvers; open: whoever reaches the listen address."`
	Catalogs  []string             `yaml:"catalogs" json:"catalogs,omitempty" jsonschema:"description=Catalog files; they load as one set."`
	Env       map[string]string    `yaml:"env" json:"env,omitempty" jsonschema:"description=Host facts that rules read as env.NAME."`
	Upstreams map[string]*Upstream `yaml:"upstreams" json:"upstreams,omitempty" jsonschema:"description=MCP servers behind the gate by name."`
	Subjects  []Subject            `yaml:"subjects" json:"subjects,omitempty" jsonschema:"description=Who may call or approve."`
	Stdio     Stdio                `yaml:"stdio" json:"stdio,omitzero" jsonschema:"description=The caller of the stdio front."`
	Channels  map[string]*Channel  `yaml:"channels" json:"channels,omitempty" jsonschema:"description=Where approvals are shown besides the console by name."`
	Approvals Approvals            `yaml:"approvals" json:"approvals,omitzero" jsonschema:"description=How people are asked."`
	Grants    Grants               `yaml:"grants" json:"grants,omitzero" jsonschema:"description=Bounds on what approvers may grant for calls like one."`
	Limits    Limits               `yaml:"limits" json:"limits,omitzero" jsonschema:"description=Bounds on what a call may hold."`
	Hooks     *Hooks               `yaml:"hooks" json:"hooks,omitempty" jsonschema:"description=Coding agents that ask this gate by their hooks."`
	Envoy     []Envoyed            `yaml:"envoy" json:"envoy,omitempty" jsonschema:"description=MCP servers behind an Envoy that asks this gate by ext_authz."`
	Try       string               `yaml:"try" json:"try,omitempty" jsonschema:"description=Commands to try, which serve prints when it starts."`
	Timeout   time.Duration        `yaml:"timeout" json:"timeout,omitempty" jsonschema:"type=string,description=How long a tool may take where neither catalog nor upstream says. 60s when left out."`
}

// Words for the mode.
const (
	ModeEnforce = "enforce"
	ModeObserve = "observe"
)

// Words for who reads the metrics.
const (
	MetricsKeys = "keys"
	MetricsOpen = "open"
	MetricsNone = "none"
)

// Bundle says where signed policy files are fetched from, and whose signature
// counts.
type Bundle struct {
	strictyaml.Placed
	Name     string            `yaml:"name" json:"name" jsonschema:"description=The name that a bundle must carry: one that was signed for another gate is refused."`
	URL      string            `yaml:"url" json:"url" jsonschema:"description=https or file URL; http for this machine only."`
	Keys     []string          `yaml:"keys" json:"keys" jsonschema:"minItems=1,description=Public keys as 'toolverdict policy keygen' prints them. A signature by any of them counts."`
	Interval time.Duration     `yaml:"interval" json:"interval,omitempty" jsonschema:"type=string,description=How often it is asked for. 1m when left out; 1s at least."`
	Timeout  time.Duration     `yaml:"timeout" json:"timeout,omitempty" jsonschema:"type=string,description=How long one fetch may take. 30s when left out."`
	MaxBytes int               `yaml:"maxBytes" json:"maxBytes,omitempty" jsonschema:"minimum=1024,maximum=33554432,description=8 MiB when left out."`
	CA       string            `yaml:"ca" json:"ca,omitempty" jsonschema:"description=File of PEM certificates to trust instead of those of the system."`
	Headers  map[string]Secret `yaml:"headers" json:"headers,omitempty" jsonschema:"description=Headers sent to the URL; secrets as env: or file: references."`
}

// Upstream is one MCP server behind the gate, a command or a URL, or the tools
// that callers run themselves. The word
// {data} in command, dir and set stands for the data folder.
type Upstream struct {
	strictyaml.Placed
	Command          []string          `yaml:"command" json:"command,omitempty" jsonschema:"minItems=1,description=Program and arguments; run without a shell. {data} stands for the data folder."`
	URL              string            `yaml:"url" json:"url,omitempty" jsonschema:"description=Streamable HTTP endpoint."`
	Local            bool              `yaml:"local" json:"local,omitempty" jsonschema:"description=Callers run these tools themselves and claim each call at the gate; the catalogs describe them."`
	Dir              string            `yaml:"dir" json:"dir,omitempty" jsonschema:"description=Working folder of the command."`
	Env              []string          `yaml:"env" json:"env,omitempty" jsonschema:"description=Names let through from the gate's own environment; nothing else is."`
	Set              map[string]Secret `yaml:"set" json:"set,omitempty" jsonschema:"description=Further variables of the command; secrets as env: or file: references."`
	Headers          map[string]Secret `yaml:"headers" json:"headers,omitempty" jsonschema:"description=Headers sent to the URL; secrets as env: or file: references."`
	TrustAnnotations bool              `yaml:"trustAnnotations" json:"trustAnnotations,omitempty" jsonschema:"description=Believe the server's own hints about its tools."`
	Pin              string            `yaml:"pin" json:"pin,omitempty" jsonschema:"enum=manual,enum=first-sight,description=Whether new tools wait for review. manual when left out."`
	Shared           bool              `yaml:"shared" json:"shared,omitempty" jsonschema:"description=One process for all callers of the stateless protocol."`
	ReadOnly         bool              `yaml:"readOnly" json:"readOnly,omitempty" jsonschema:"description=Every run against this server is read-only."`
	Timeout          time.Duration     `yaml:"timeout" json:"timeout,omitempty" jsonschema:"type=string,description=How long one call may take."`
	Methods          map[string]string `yaml:"methods" json:"methods,omitempty" jsonschema:"description=Protocol methods the gate does not know that may pass: NAME: allow."`
}

// Subject is somebody who may call or approve.
type Subject struct {
	strictyaml.Placed
	ID          string    `yaml:"id" json:"id"`
	Kind        string    `yaml:"kind" json:"kind" jsonschema:"enum=agent,enum=person,enum=service"`
	User        string    `yaml:"user" json:"user,omitempty" jsonschema:"description=The person on whose behalf."`
	Agent       string    `yaml:"agent" json:"agent,omitempty" jsonschema:"description=Name of the agent program."`
	Roles       []string  `yaml:"roles" json:"roles,omitempty"`
	Groups      []string  `yaml:"groups" json:"groups,omitempty" jsonschema:"description=What approvals name as group:NAME."`
	Permissions []string  `yaml:"permissions" json:"permissions,omitempty" jsonschema:"description=Exact names or a prefix that ends in a star."`
	ReadOnly    bool      `yaml:"readOnly" json:"readOnly,omitempty" jsonschema:"description=Every run of this subject is read-only."`
	Claims      []string  `yaml:"claims" json:"claims,omitempty" jsonschema:"description=Facts that this subject may state of the runs it starts; rules read them as env.NAME."`
	Password    *Password `yaml:"password" json:"password,omitempty" jsonschema:"description=How a person signs in to the console."`
	Keys        []Key     `yaml:"keys" json:"keys,omitempty" jsonschema:"description=API keys: a hash or a reference or generated for the example."`
}

// Key is one API key of a subject, in exactly one of three forms.
type Key struct {
	strictyaml.Placed
	Hash    string `yaml:"hash" json:"hash,omitempty" jsonschema:"description=What 'toolverdict keys new' printed."`
	From    Secret `yaml:"from" json:"from,omitzero" jsonschema:"description=Reference to the key itself: env:NAME or file:PATH."`
	Example bool   `yaml:"example" json:"example,omitempty" jsonschema:"description=Make a key at first start and keep it in DATA/keys/ID (0600). For examples on one machine."`
}

// Stdio names the caller of the stdio front: whoever can start the gate.
type Stdio struct {
	strictyaml.Placed
	Subject string `yaml:"subject" json:"subject"`
}

// Approvals says how people are asked.
type Approvals struct {
	Approvers  []string      `yaml:"approvers" json:"approvers,omitempty" jsonschema:"description=Who approves where a rule names nobody: role:NAME or group:NAME or user:ID. role:approver when left out."`
	Pending    time.Duration `yaml:"pending" json:"pending,omitempty" jsonschema:"type=string,description=How long an approval waits. 15m when left out; 24h at most."`
	Use        time.Duration `yaml:"use" json:"use,omitempty" jsonschema:"type=string,description=How long a given approval can be used at least. 5m when left out."`
	Hold       time.Duration `yaml:"hold" json:"hold,omitempty" jsonschema:"type=string,description=How long a call over MCP waits for its approval before it is answered. It is answered at once when left out; 5m at most."`
	OpenPerRun int           `yaml:"openPerRun" json:"openPerRun,omitempty" jsonschema:"minimum=1,maximum=1000,description=How many calls of one run may wait for a person at a time. 5 when left out."`
	BaseURL    string        `yaml:"baseURL" json:"baseURL,omitempty" jsonschema:"description=Address under which people reach the gate. The listen address when left out."`
}

// Limits bounds what a call may hold.
type Limits struct {
	ArgumentBytes int `yaml:"argumentBytes" json:"argumentBytes,omitempty" jsonschema:"minimum=1024,maximum=67108864,description=1 MiB when left out."`
	Depth         int `yaml:"depth" json:"depth,omitempty" jsonschema:"minimum=4,maximum=512,description=64 when left out."`
}
