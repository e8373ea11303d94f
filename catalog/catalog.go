// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
)

// Server is one upstream with what it announced.
type Server struct {
	Name             string
	Announced        []json.RawMessage // the tools of tools/list, each as its raw JSON object
	TrustAnnotations bool              // its hints may loosen what no overlay says
	Pinning          Pinning
	Timeout          time.Duration // of its tools where no overlay says; 0 means the gate's own
	Methods          []string      // methods beyond MCP's own that the operator lets through

	// Local says that the host runs the tools itself: those that an overlay
	// names exactly exist, and nothing is pinned.
	Local bool
	// Place is where the tools of a local server work whose overlay does not say.
	Place toolverdict.Place
}

// Input is all that a catalog is made of.
type Input struct {
	Servers  []Server
	Overlays []*Overlay
	Pins     []Pin
	Now      time.Time // when pins of first sight are taken
}

// Catalog is one immutable set of tools. It is safe for concurrent use.
type Catalog struct {
	byName map[string]*toolverdict.Tool
	sorted []*toolverdict.Tool
	held   map[string]string // why a tool is held back, by full name
	pinned map[string]string // hash of the announcement of each listed tool
}

var _ toolverdict.Catalog = (*Catalog)(nil)

// Tool finds a tool by its full name, byte for byte. What is held back is not
// found.
func (c *Catalog) Tool(name string) (*toolverdict.Tool, bool) {
	t, ok := c.byName[name]
	return t, ok
}

// Tools returns all tools and methods, by name, in a new slice.
func (c *Catalog) Tools() []*toolverdict.Tool { return slices.Clone(c.sorted) }

// Quarantined says why an announced tool is held back. For tools that are
// listed, or that nobody announced, held is false.
func (c *Catalog) Quarantined(name string) (reason string, held bool) {
	reason, held = c.held[name]
	return reason, held
}

// Holds reports whether a server's announcement of a tool is, in everything
// that is pinned, the very one this catalog was built from, and under which
// full name. A list that passes the gate must show no other: a server may
// change its mind between two lists.
func (c *Catalog) Holds(server string, raw []byte) (name string, ok bool) {
	a := read(server, 0, raw)
	want, known := c.pinned[a.full]
	return a.full, known && a.fault == "" && a.pin.Hash == want
}

// State says where an announced tool stands.
type State string

// States. Only listed tools can be called.
const (
	Listed  State = "listed"
	New     State = "new"     // waits to be pinned
	Changed State = "changed" // differs from its pin
	Refused State = "refused" // cannot be used as it is: pinning does not help
	Gone    State = "gone"    // pinned, but no longer announced
)

// Report tells what became of every announced and every pinned tool.
type Report struct {
	Tools    []Entry  // by name
	Taken    []Pin    // pins of first sight: to be stored
	Warnings []string // about the overlays and between servers
}

// Entry is one tool of a [Report].
type Entry struct {
	Tool     string   `json:"tool"` // full name
	Server   string   `json:"server"`
	State    State    `json:"state"`
	Reason   string   `json:"reason,omitempty"`  // why it is not listed
	Changes  []Change `json:"changes,omitempty"` // against the pin
	Warnings []string `json:"warnings,omitempty"`

	// Seen is the pin of what is announced now, without By and At: what
	// reviewing the tool and agreeing to it stores. It is empty where pinning
	// cannot help.
	Seen Pin `json:"-"`
}

// Entry finds a tool of the report.
func (r *Report) Entry(tool string) (Entry, bool) {
	i, found := slices.BinarySearchFunc(r.Tools, tool, func(e Entry, name string) int { return strings.Compare(e.Tool, name) })
	if !found {
		return Entry{}, false
	}
	return r.Tools[i], true
}

// Review is somebody's agreement to a definition. Hash is the hash that was
// looked at (Entry.Seen.Hash); left empty it agrees to whatever is announced
// now, which may have changed since.
type Review struct{ Tool, Hash string }

// Accept turns reviews into the pins to store. All of them can be accepted, or
// none is.
func (r *Report) Accept(reviews []Review, by string, at time.Time) ([]Pin, error) {
	if by == "" || by == FirstSightBy {
		return nil, errors.New("pin tools: nobody is named who looked at them")
	}
	var pins []Pin
	var errs []error
	for _, review := range reviews {
		e, known := r.Entry(review.Tool)
		switch {
		case !known:
			errs = append(errs, fmt.Errorf("pin tool %q: no server announces it", Reveal(review.Tool)))
		case e.Seen.Hash == "":
			errs = append(errs, fmt.Errorf("pin tool %q: %s: pinning does not help", e.Tool, e.Reason))
		case review.Hash != "" && review.Hash != e.Seen.Hash:
			errs = append(errs, fmt.Errorf("pin tool %q: its definition changed since it was looked at: look again", e.Tool))
		default:
			p := e.Seen.clone()
			p.By, p.At = by, at
			pins = append(pins, p)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return pins, nil
}
