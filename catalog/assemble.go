// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/schema"
)

// Build makes a catalog. The error is about what the operator wrote: names of
// servers, and overlays that contradict each other. Nothing that a server
// announces is an error; it is held back and reported.
func Build(in Input) (*Catalog, Report, error) {
	b := &assembly{
		in: in, overlay: map[string]placed{}, used: map[string]bool{}, pins: map[string]*Pin{}, schemas: map[string]*schema.Schema{},
		out: &Catalog{byName: map[string]*toolverdict.Tool{}, held: map[string]string{}, pinned: map[string]string{}},
	}
	if err := b.prepare(); err != nil {
		return nil, Report{}, fmt.Errorf("build catalog: %w", err)
	}
	for i := range in.Servers {
		b.server(&in.Servers[i])
	}
	b.reconciled()
	b.gone()
	b.betweenServers()
	b.unusedOverlays()
	slices.SortStableFunc(b.report.Tools, func(x, y Entry) int { return strings.Compare(x.Tool, y.Tool) })
	slices.Sort(b.report.Warnings)
	for _, name := range slices.Sorted(maps.Keys(b.out.byName)) {
		b.out.sorted = append(b.out.sorted, b.out.byName[name])
	}
	return b.out, b.report, nil
}

// placed is an overlay entry with the file it is from.
type placed struct {
	file string
	tool toolConfig
}

type assembly struct {
	in      Input
	overlay map[string]placed
	used    map[string]bool // keys of overlays that some tool took
	pins    map[string]*Pin
	schemas map[string]*schema.Schema // compiled, by text
	out     *Catalog
	report  Report
}

func (b *assembly) prepare() error {
	var errs []error
	names := map[string]bool{}
	for _, s := range b.in.Servers {
		if why := serverNameFault(s.Name); why != "" {
			errs = append(errs, fmt.Errorf("server %q: its name %s", s.Name, why))
		}
		if fold := skeleton(s.Name); names[fold] {
			errs = append(errs, fmt.Errorf("server %q: another server has this name, or one that looks like it: rename one", s.Name))
		} else {
			names[fold] = true
		}
		if s.Pinning != "" && s.Pinning != PinManually && s.Pinning != PinFirstSight {
			errs = append(errs, fmt.Errorf("server %q: unknown pinning %q: use manual or first-sight", s.Name, s.Pinning))
		}
	}
	for _, o := range b.in.Overlays {
		for _, key := range slices.Sorted(maps.Keys(o.tools)) {
			if first, twice := b.overlay[key]; twice {
				errs = append(errs, fmt.Errorf("%s:%d: tool %q is described in %s:%d already: keep one", o.file, o.tools[key].line, key, first.file, first.tool.line))
				continue
			}
			b.overlay[key] = placed{o.file, o.tools[key]}
		}
	}
	for i := range b.in.Pins {
		b.pins[b.in.Pins[i].Tool] = &b.in.Pins[i]
	}
	return errors.Join(errs...)
}

// find returns the overlay entry for a tool: its exact name, else the longest
// pattern that matches. Two patterns of one length are an open question.
func (b *assembly) find(full string) (*toolConfig, error) {
	if p, ok := b.overlay[full]; ok {
		b.used[full] = true
		return &p.tool, nil
	}
	best, tie := "", ""
	for _, key := range slices.Sorted(maps.Keys(b.overlay)) {
		if !strings.Contains(key, "*") || !matches(key, full) {
			continue
		}
		b.used[key] = true
		switch n := len(key) - len(best); {
		case best == "" || n > 0:
			best, tie = key, ""
		case n == 0:
			tie = key
		}
	}
	if tie != "" {
		return nil, fmt.Errorf("the overlay patterns %q and %q are of one length and both match: name the tool exactly", best, tie)
	}
	if best == "" {
		return nil, nil //nolint:nilnil // no entry is an ordinary answer
	}
	p := b.overlay[best]
	return &p.tool, nil
}

// matches reports whether a pattern of an overlay covers a full name. A star
// stands for any text. A pattern without "/@" never covers a method.
func matches(pattern, full string) bool {
	if IsMethod(full) != IsMethod(pattern) {
		return false
	}
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(full, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}

// maxTools bounds the tools of one server.
const maxTools = 2_000

func (b *assembly) server(s *Server) {
	b.methods(s)
	if s.Local {
		b.local(s)
		return
	}
	list := s.Announced
	if len(list) > maxTools {
		list = list[:maxTools]
		b.hold(Entry{Tool: fmt.Sprintf("%s/#%d", s.Name, maxTools+1), Server: s.Name, State: Refused},
			fmt.Sprintf("the server announces more than %d tools: the rest is left out", maxTools))
	}
	all := make([]announced, len(list))
	count, looks := map[string]int{}, map[string][]string{}
	for i, raw := range list {
		all[i] = read(s.Name, i, raw)
		if a := &all[i]; a.name != "" && a.pin.Hash != "" {
			if count[a.full]++; count[a.full] == 1 {
				looks[skeleton(a.name)] = append(looks[skeleton(a.name)], a.full)
			}
		}
	}
	seen := map[string]bool{}
	for i := range all {
		a := &all[i]
		if seen[a.full] {
			continue
		}
		seen[a.full] = true
		if count[a.full] > 1 {
			a.fault = "the server announces it more than once"
		}
		b.announcement(s, a, looks[skeleton(a.name)])
	}
}

// announcement decides what becomes of one tool. The checks go from what can
// never be used to what only waits.
func (b *assembly) announcement(s *Server, a *announced, alike []string) {
	e := Entry{Tool: a.full, Server: s.Name, State: Refused, Seen: a.pin}
	if a.fault != "" {
		e.Seen = Pin{}
		b.hold(e, a.fault)
		return
	}
	if a.hidesText() {
		e.Warnings = append(e.Warnings, "its title or description holds characters that cannot be seen: look at it with care")
	}
	tool, warnings, err := b.tool(s, a)
	e.Warnings = append(e.Warnings, warnings...)
	if err != nil {
		e.Seen = Pin{}
		b.hold(e, err.Error())
		return
	}
	pin, known := b.pins[a.full]
	twin := lookalike(a.full, alike)
	switch {
	case known && !pin.sound():
		e.State = Changed
		b.hold(e, "its stored pin is damaged: review the tool and pin it again")
		return
	case known && pin.Hash != a.pin.Hash:
		e.State, e.Changes = Changed, changes(pin, &a.pin)
		b.hold(e, "its definition changed since it was pinned ("+strings.Join(fields(e.Changes), ", ")+"): it waits for review")
		return
	case !known && twin != "":
		e.State = New
		b.hold(e, fmt.Sprintf("its name looks like that of %s: it waits for review", twin))
		return
	case !known && s.Pinning != PinFirstSight:
		e.State = New
		b.hold(e, "it is new: it waits for review")
		return
	case !known:
		taken := a.pin.clone()
		taken.By, taken.At = FirstSightBy, b.in.Now
		b.report.Taken = append(b.report.Taken, taken)
	}
	e.State = Listed
	b.report.Tools = append(b.report.Tools, e)
	b.out.byName[a.full] = tool
	b.out.pinned[a.full] = a.pin.Hash
}

func lookalike(full string, alike []string) string {
	for _, other := range alike {
		if other != full {
			return other
		}
	}
	return ""
}

func (b *assembly) hold(e Entry, reason string) {
	e.Reason = reason
	b.report.Tools = append(b.report.Tools, e)
	if _, method := b.out.byName[e.Tool]; !method { // a tool that calls itself @METHOD
		b.out.held[e.Tool] = reason
	}
}

// tool makes the frozen tool of an announcement.
func (b *assembly) tool(s *Server, a *announced) (*toolverdict.Tool, []string, error) {
	over, err := b.find(a.full)
	if err != nil {
		return nil, nil, err
	}
	def := overlaid(fromServer(*s, a), over)
	tool, err := b.freeze(def, over)
	if err != nil {
		return nil, nil, err
	}
	return tool, doubts(tool, over, a), nil
}

// doubts are things that an operator should look at again.
func doubts(tool *toolverdict.Tool, over *toolConfig, a *announced) []string {
	if over == nil {
		return nil
	}
	var out []string
	if reads, given := a.hint("readOnlyHint"); tool.Safety() == toolverdict.ReadOnly && given && !reads {
		out = append(out, "the overlay calls it read-only, the server says that it is not")
	}
	return append(out, summaryDoubts(tool, over)...)
}

func summaryDoubts(tool *toolverdict.Tool, over *toolConfig) []string {
	compiled, ok := tool.Schema().(*schema.Schema)
	if !ok {
		return nil
	}
	var out []string
	for _, p := range unknownPlaceholders(over.summary, compiled.Tree()) {
		out = append(out, "the overlay's summary names "+p+", which is no argument")
	}
	return out
}

// methods adds the requests of MCP that are decided like tools.
func (b *assembly) methods(s *Server) {
	list := methods()
	for _, name := range s.Methods {
		if !slices.ContainsFunc(list, func(m method) bool { return m.name == name }) {
			list = append(list, otherMethod(name))
		}
	}
	for _, m := range list {
		def := m.definition(s.Name)
		def.Timeout = s.Timeout
		over, err := b.find(def.Name)
		var tool *toolverdict.Tool
		if err == nil {
			tool, err = b.freeze(overlaid(def, over), over)
		}
		if err != nil {
			b.hold(Entry{Tool: def.Name, Server: s.Name, State: Refused}, err.Error())
			continue
		}
		b.out.byName[def.Name] = tool
	}
}

// local adds the tools that the overlays name for a server that is the host
// itself.
func (b *assembly) local(s *Server) {
	for _, key := range slices.Sorted(maps.Keys(b.overlay)) {
		server, name, _ := strings.Cut(key, "/")
		if server != s.Name || strings.Contains(name, "*") || IsMethod(key) {
			continue
		}
		over := b.overlay[key].tool
		b.used[key] = true
		a := announced{full: key, name: name}
		tool, err := b.freeze(overlaid(fromServer(*s, &a), &over), &over)
		e := Entry{Tool: key, Server: s.Name, State: Refused}
		if err != nil {
			b.hold(e, err.Error())
			continue
		}
		e.State, e.Warnings = Listed, summaryDoubts(tool, &over)
		b.report.Tools = append(b.report.Tools, e)
		b.out.byName[key] = tool
	}
}

// gone reports pinned tools that their server no longer announces. Servers
// show different lists to different clients, so the pins stay.
func (b *assembly) gone() {
	for _, name := range slices.Sorted(maps.Keys(b.pins)) {
		server, _, _ := strings.Cut(name, "/")
		known := slices.ContainsFunc(b.in.Servers, func(s Server) bool { return s.Name == server && !s.Local })
		seen := slices.ContainsFunc(b.report.Tools, func(e Entry) bool { return e.Tool == name })
		if known && !seen {
			b.report.Tools = append(b.report.Tools, Entry{Tool: name, Server: server, State: Gone, Reason: "its server no longer announces it"})
		}
	}
}

// betweenServers warns of tools of different servers that a model, which often
// sees only the short name, could take for each other. Of local servers it sees one,
// its own agent's, or the full names.
func (b *assembly) betweenServers() {
	looks := map[string][]string{}
	local := map[string]bool{}
	for _, s := range b.in.Servers {
		local[s.Name] = s.Local
	}
	for _, e := range b.report.Tools {
		if e.State == Listed && !local[e.Server] {
			key := skeleton(own(e.Tool))
			looks[key] = append(looks[key], e.Tool)
		}
	}
	for _, names := range looks {
		slices.Sort(names)
		if servers := serversOf(names); len(servers) > 1 {
			b.report.Warnings = append(b.report.Warnings, "tools of different servers have the same or a similar name: "+strings.Join(names, ", "))
		}
	}
}

func serversOf(names []string) []string {
	var out []string
	for _, n := range names {
		if server, _, _ := strings.Cut(n, "/"); !slices.Contains(out, server) {
			out = append(out, server)
		}
	}
	return out
}

func (b *assembly) unusedOverlays() {
	for key, p := range b.overlay {
		if !b.used[key] {
			b.report.Warnings = append(b.report.Warnings,
				fmt.Sprintf("%s:%d: tool %q: no server announces such a tool", p.file, p.tool.line, key))
		}
	}
}
