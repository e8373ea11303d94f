// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package doors_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/guard"
)

// answer is what a caller reads of a decision.
type answer struct {
	verdict string // allow, ask or deny
	code    string // of the gate; or "status 400" and the like, of a door that did not get as far; "" where the door tells none
	leave   string // the bytes that may run, where the door says which
	text    string // for the one who reads a failure
}

// door is a way in.
type door struct {
	name string
	as   tv.Door // what records say
	runs bool    // what it allows is run at once, and counted
	ask  func(t *testing.T, r *row) answer

	// write and send stand for ask where the door reads a text: what is sent.
	write func(r *row) string
	send  func(t *testing.T, text string, r *row) answer

	// instead says what the door answers to a call that it cannot carry as it is.
	// It is nil, or not ok, for a call that is decided as everywhere.
	instead func(r *row) (not, bool)
}

// not is the answer to a call that a door cannot carry: always a denial.
type not struct {
	code   string
	record string // what is on record under the call's label, or "" for nothing
	orNone bool   // or nothing is
}

// TestMain lets all doors work at once: they wait for the disk most of the time.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "64"); err != nil {
		panic(err)
	}
	m.Run()
}

// TestOneTable takes every call through every door.
func TestOneTable(t *testing.T) { //nolint:tparallel // the doors end before their records are looked at
	t.Parallel()
	s := newSite(t)
	if *update {
		table := rows(t)
		s.learn(t, table)
		write(t, table)
		return
	}
	all := s.doors(t)
	everyDoorIsThere(t, all, s.through(t, all))
}

// through takes the table through doors, and returns which doors are on record.
func (s *site) through(t *testing.T, all []door) map[tv.Door]bool {
	t.Helper()
	table := rows(t)
	if len(table) < 150 {
		t.Errorf("the table has %d calls", len(table))
	}
	answers := make([]map[string]answer, len(all))
	t.Run("doors", func(t *testing.T) {
		for i, d := range all {
			answers[i] = map[string]answer{}
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				for _, r := range table {
					r.label = label(d, r)
					answers[i][r.Name] = d.call(t, &r)
				}
			})
		}
	})
	recorded := s.decisions(t)
	want := map[string]int{}
	facts := map[string]tv.Record{}
	for i, d := range all {
		for _, r := range table {
			r.label = label(d, r)
			d.judge(t, &r, answers[i][r.Name], recorded[r.label], facts)
			if _, cannot := d.cannot(&r); d.runs && !cannot && r.verdict() == "allow" {
				want[r.Tool+" "+r.meant()]++
			}
		}
	}
	s.ran.judge(t, want)
	used := map[tv.Door]bool{}
	for _, list := range recorded {
		for _, rec := range list {
			used[rec.Door] = true
		}
	}
	return used
}

func label(d door, r row) string { return "#" + d.name + "#" + r.Name }

func (d *door) call(t *testing.T, r *row) answer {
	t.Helper()
	if d.ask != nil {
		return d.ask(t, r)
	}
	return d.send(t, d.write(r), r)
}

func (d *door) cannot(r *row) (not, bool) {
	if d.instead == nil {
		return not{}, false
	}
	return d.instead(r)
}

// judge holds one answer, and what is on record of it, to the table.
func (d *door) judge(t *testing.T, r *row, got answer, records []tv.Record, facts map[string]tv.Record) {
	t.Helper()
	said := got.verdict + " " + got.code
	if n, cannot := d.cannot(r); cannot {
		if got.verdict != "deny" || got.code != n.code || got.leave != "" {
			t.Errorf("%s: %s: it answers %q, want %q: %s", d.name, r.Name, said, "deny "+n.code, got.text)
		}
		var on []string
		for _, rec := range records {
			on = append(on, told(rec.Verdict, rec.Code, rec.Rules))
		}
		if strings.Join(on, ", ") != n.record && !(n.orNone && len(on) == 0) {
			t.Errorf("%s: %s: on record is %q, want %q", d.name, r.Name, on, n.record)
		}
		return
	}
	if got.verdict != r.verdict() || got.code != "" && tv.Code(got.code) != r.code() {
		t.Errorf("%s: %s: it answers %q, want %q: %s", d.name, r.Name, said, r.Want, got.text)
	}
	if got.leave != "" && (got.leave != r.meant() || r.verdict() != "allow") {
		t.Errorf("%s: %s: leave is for %q, the call was %q", d.name, r.Name, got.leave, r.Arguments)
	}
	if len(records) != 1 {
		t.Errorf("%s: %s: %d decisions are on record", d.name, r.Name, len(records))
		return
	}
	rec := plain(records[0])
	if on := told(rec.Verdict, rec.Code, rec.Rules); on != r.Want || rec.Door != d.as {
		t.Errorf("%s: %s: on record is %q by door %s, want %q by %s", d.name, r.Name, on, rec.Door, r.Want, d.as)
	}
	first, there := facts[r.Name]
	if !there {
		facts[r.Name] = rec
		return
	}
	for what, pair := range map[string][2]string{
		"tool": {first.Tool, rec.Tool}, "definition": {first.ToolHash, rec.ToolHash}, "arguments": {first.ArgumentsMAC, rec.ArgumentsMAC},
		"subject": {first.Subject, rec.Subject}, "policy": {first.PolicyVersion, rec.PolicyVersion},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s: the %s on record is %q, and %q through the first door", d.name, r.Name, what, pair[1], pair[0])
		}
	}
}

// plain is a record without the layer of rules that hooks add. It only denies.
func plain(rec tv.Record) tv.Record {
	const layer = "self-protection"
	mine := func(m tv.Match) bool { return strings.HasPrefix(m.Rule, layer) && m.Verdict == tv.Deny }
	rest := slices.DeleteFunc(slices.Clone(rec.Rules), mine)
	name, layered := strings.CutSuffix(rec.PolicyVersion, "+toolverdict-"+layer+"@v1")
	if _, version, ok := strings.Cut(name, "@"); layered && ok {
		rec.PolicyVersion = version
	}
	if strings.HasPrefix(rec.Rule, layer) && len(rest) > 0 {
		rec.Rule = ""
	}
	rec.Rules = rest
	return rec
}

// judge holds what ran to what was allowed: each call once for each door that runs
// it, by the bytes that were decided, and nothing else.
func (r *ran) judge(t *testing.T, want map[string]int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, call := range slices.Sorted(maps.Keys(r.times)) {
		if r.times[call] != want[call] {
			t.Errorf("%s ran %d times, want %d", call, r.times[call], want[call])
		}
	}
	for _, call := range slices.Sorted(maps.Keys(want)) {
		if r.times[call] == 0 {
			t.Errorf("%s never ran, want %d times", call, want[call])
		}
	}
}

// learn writes into the table what the library decides.
func (s *site) learn(t *testing.T, table []row) {
	t.Helper()
	for i := range table {
		r := &table[i]
		r.label = "#learn#" + r.Name
		if _, _, err := s.library.Advise(t.Context(), s.proposal(r)); err != nil {
			t.Fatal(err)
		}
	}
	recorded := s.decisions(t)
	for i := range table {
		rec := recorded[table[i].label]
		if len(rec) != 1 {
			t.Fatalf("%s: %d decisions", table[i].Name, len(rec))
		}
		table[i].Want = told(rec[0].Verdict, rec[0].Code, rec[0].Rules)
	}
}

// doors are all there are.
func (s *site) doors(t *testing.T) []door {
	t.Helper()
	return slices.Concat(s.inTheProgram(), s.overHTTP(t), s.shapes(t), s.overMCP(t), s.agents(t), s.programs(t))
}

func (s *site) proposal(r *row) tv.Proposal {
	return tv.Proposal{Door: tv.DoorLibrary, ID: r.label, Tool: r.full(), Arguments: []byte(r.Arguments), Subject: agent()}
}

// result reads the gate's own result.
func result(res *tv.Result) answer {
	a := answer{verdict: "deny", text: fmt.Sprintf("%+v", res.Error)}
	switch {
	case res.Success && !res.Replayed:
		a.verdict = "allow"
	case res.Error != nil:
		a.code = string(res.Error.Code)
		if res.Error.Code == tv.ConfirmationRequired {
			a.verdict = "ask"
		}
	}
	return a
}

// inTheProgram are the doors of the library.
func (s *site) inTheProgram() []door {
	return []door{
		{name: "library: Do", as: tv.DoorLibrary, runs: true, ask: func(t *testing.T, r *row) answer {
			t.Helper()
			res, err := s.library.Do(context.Background(), s.proposal(r))
			must(t, err)
			return result(&res)
		}},
		{name: "library: Check", as: tv.DoorLibrary, ask: func(t *testing.T, r *row) answer {
			t.Helper()
			permit, res, err := s.library.Check(context.Background(), s.proposal(r))
			must(t, err)
			a := result(&res)
			if permit.Valid() {
				a.leave = string(permit.Arguments())
				_, err = s.library.Report(context.Background(), permit, tv.Outcome{Status: tv.Succeeded})
				must(t, err)
			}
			return a
		}},
		{name: "library: Advise", as: tv.DoorLibrary, ask: func(t *testing.T, r *row) answer {
			t.Helper()
			res, _, err := s.library.Advise(context.Background(), s.proposal(r))
			must(t, err)
			return result(&res)
		}},
		{name: "guard in the program", as: tv.DoorLibrary, runs: true, ask: s.guarded(s.library.Guard(agent(), server))},
	}
}

// guarded runs a function with leave of a gate.
func (s *site) guarded(g guard.Guard) func(*testing.T, *row) answer {
	return func(t *testing.T, r *row) answer {
		t.Helper()
		_, refused := guard.Do(t.Context(), g, guard.Call{ID: r.label, Tool: r.Tool, Arguments: []byte(r.Arguments)}, func(_ context.Context, arguments []byte) (string, error) {
			s.ran.add(r.Tool, arguments)
			return "done", nil
		})
		if refused == nil {
			return answer{verdict: "allow"}
		}
		return result(&refused.Result)
	}
}
