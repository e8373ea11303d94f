// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package guardtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/guard"
)

// Tool is the function that every tool of the framework calls.
type Tool func(ctx context.Context, name string, arguments []byte) (string, error)

// Ask has a scripted model ask for calls in one message. It returns what the
// model was told, in their order.
type Ask func(t *testing.T, calls ...guard.Call) []string

// Door builds a framework's agent whose tools, the [Names], stand behind the
// guard and call run.
type Door func(t *testing.T, g guard.Guard, run Tool) Ask

// Case is one thing that must hold of a door.
type Case struct {
	Name string
	Do   func(t *testing.T, door Door)
}

// Run runs the whole suite against a door. The cases that are named in without
// are left out: say there why they cannot come up.
func Run(t *testing.T, door Door, without ...string) {
	t.Helper()
	for _, c := range Cases() {
		if slices.Contains(without, c.Name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Do(t, door)
		})
	}
}

// DuplicateKeys is the case that cannot come up where a framework hands over
// arguments that it parsed itself.
const DuplicateKeys = "duplicate keys"

// Cases returns all of them.
func Cases() []Case {
	return []Case{
		{"allow runs once", allowed},
		{"deny is never entered", refused(Denied, `{"n":1}`, tv.PolicyDenied)},
		{"an unknown tool is never entered", refused(Missing, `{"n":1}`, tv.UnknownTool)},
		{DuplicateKeys, refused(Allowed, `{"n":1,"n":2}`, tv.MalformedCall)},
		{"ask runs what was approved, once", asked},
		{"ask waits", waited},
		{"an approver changes the arguments", edited},
		{"a rejection is told", rejected},
		{"calls of one message", several},
		{"a secret is hidden", hidden},
		{"a tool fails", failed},
		{"a tool breaks down", panics},
		{"the gate breaks down", broken(panicking{})},
		{"the gate is missing", broken(nil)},
		{"a misspelt verdict", bent(func(t *guard.Terms) { t.Verdict = "Allow" })},
		{"a verdict that is none", bent(func(t *guard.Terms) { t.Verdict = "permit" })},
		{"leave for another tool", bent(func(t *guard.Terms) { t.Tool = Server + "/" + Denied })},
		{"leave for other arguments", bent(func(t *guard.Terms) { t.Arguments = []byte(`{"n":2}`) })},
		{"leave without a digest", bent(func(t *guard.Terms) { t.Digest = "" })},
	}
}

func call(id, tool, arguments string) guard.Call {
	return guard.Call{ID: id, Tool: tool, Arguments: []byte(arguments)}
}

// plain runs and answers with its arguments.
func (r *Ran) plain(_ context.Context, name string, arguments []byte) (string, error) {
	r.Add(name, compact(arguments))
	return "did " + compact(arguments), nil
}

func compact(arguments []byte) string {
	var v any
	if json.Unmarshal(arguments, &v) != nil {
		return string(arguments)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func (r *Ran) want(t *testing.T, want ...string) {
	t.Helper()
	got := r.All()
	slices.Sort(got)
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		t.Errorf("what ran (-want +got):\n%s", diff)
	}
}

func tells(t *testing.T, told, want string) {
	t.Helper()
	if !strings.Contains(told, want) {
		t.Errorf("the model was told %q, which does not say %q", told, want)
	}
}

func allowed(t *testing.T, door Door) {
	var ran Ran
	ask := door(t, NewGate(t).Guard(), ran.plain)
	tells(t, ask(t, call("c1", Allowed, `{"n":1}`))[0], `did {`)
	ran.want(t, Allowed+` {"n":1}`)
}

func refused(tool, arguments string, code tv.Code) func(*testing.T, Door) {
	return func(t *testing.T, door Door) {
		var ran Ran
		ask := door(t, NewGate(t).Guard(), ran.plain)
		tells(t, ask(t, call("c1", tool, arguments))[0], string(code))
		ran.want(t)
	}
}

func asked(t *testing.T, door Door) {
	var ran Ran
	g := NewGate(t)
	ask := door(t, g.Guard(), ran.plain)
	told := ask(t, call("c1", Asked, `{"n":1}`))[0]
	tells(t, told, string(tv.ConfirmationRequired))
	ran.want(t)
	id := g.Waiting(t.Context())
	tells(t, told, id)
	g.Approve(t.Context(), id)
	tells(t, ask(t, call("c2", Asked, `{"n":1}`))[0], `did {`)
	ran.want(t, Asked+` {"n":1}`)
	tells(t, ask(t, call("c3", Asked, `{"n":1}`))[0], `did {`) // the answer of then
	ran.want(t, Asked+` {"n":1}`)
	tells(t, ask(t, call("c4", Asked, `{"n":2}`))[0], string(tv.ConfirmationRequired))
	ran.want(t, Asked+` {"n":1}`)
}

// during has a person act while a call is held open.
func during(t *testing.T, door Door, act func(g *Gate, id string)) (told string, ran *Ran) {
	t.Helper()
	ran = &Ran{}
	g := NewGate(t)
	held := g.Guard()
	held.Wait = patience
	ask := door(t, held, ran.plain)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if id := g.Waiting(ctx); id != "" {
			act(g, id)
		}
	}()
	told = ask(t, call("c1", Asked, `{"n":1}`))[0]
	cancel()
	<-done
	return told, ran
}

func waited(t *testing.T, door Door) {
	told, ran := during(t, door, func(g *Gate, id string) { g.Approve(t.Context(), id) })
	tells(t, told, `did {`)
	ran.want(t, Asked+` {"n":1}`)
}

func edited(t *testing.T, door Door) {
	told, ran := during(t, door, func(g *Gate, id string) { g.Edit(t.Context(), id, `{"n":7}`) })
	tells(t, told, "did {")
	tells(t, told, "7")
	ran.want(t, Asked+` {"n":7}`)
}

func rejected(t *testing.T, door Door) {
	told, ran := during(t, door, func(g *Gate, id string) { g.Reject(t.Context(), id) })
	tells(t, told, string(tv.ConfirmationInvalid))
	ran.want(t)
}

func several(t *testing.T, door Door) {
	var ran Ran
	ask := door(t, NewGate(t).Guard(), ran.plain)
	var calls []guard.Call
	var want []string
	for i := range 4 {
		calls = append(calls, call(fmt.Sprintf("a%d", i), Allowed, fmt.Sprintf(`{"n":%d}`, i)), call(fmt.Sprintf("d%d", i), Denied, `{}`))
		want = append(want, fmt.Sprintf(`%s {"n":%d}`, Allowed, i))
	}
	told := ask(t, calls...)
	if len(told) != len(calls) {
		t.Fatalf("%d answers to %d calls: %q", len(told), len(calls), told)
	}
	for i := range calls {
		if i%2 == 1 {
			tells(t, told[i], string(tv.PolicyDenied))
			continue
		}
		tells(t, told[i], "did {")
		tells(t, told[i], fmt.Sprint(i/2))
	}
	ran.want(t, want...)
}

func hidden(t *testing.T, door Door) {
	ask := door(t, NewGate(t).Guard(), func(context.Context, string, []byte) (string, error) { return "the word is " + Secret, nil })
	told := ask(t, call("c1", Allowed, `{}`))[0]
	tells(t, told, "the word is [HIDDEN]")
	if strings.Contains(told, Secret) {
		t.Errorf("the model was told %q", told)
	}
}

func failed(t *testing.T, door Door) {
	ask := door(t, NewGate(t).Guard(), func(context.Context, string, []byte) (string, error) { return "", errors.New("no stock of " + Secret) })
	told := ask(t, call("c1", Allowed, `{}`))[0]
	tells(t, told, "no stock of [HIDDEN]")
	tells(t, told, string(tv.ToolError))
}

func panics(t *testing.T, door Door) {
	ask := door(t, NewGate(t).Guard(), func(context.Context, string, []byte) (string, error) { return breakDown().Terms().Tool, nil })
	tells(t, ask(t, call("c1", Allowed, `{}`))[0], string(tv.OutcomeUnknown))
}

func broken(s guard.Source) func(*testing.T, Door) {
	return func(t *testing.T, door Door) {
		var ran Ran
		ask := door(t, guard.Guard{Source: s, Server: Server}, ran.plain)
		tells(t, ask(t, call("c1", Allowed, `{}`))[0], string(tv.GateUnavailable))
		ran.want(t)
	}
}

// bent has the gate give leave that is none.
func bent(change func(*guard.Terms)) func(*testing.T, Door) {
	return func(t *testing.T, door Door) {
		var ran Ran
		g := NewGate(t).Guard()
		g.Source = bending{g.Source, change}
		ask := door(t, g, ran.plain)
		tells(t, ask(t, call("c1", Allowed, `{"n":1}`))[0], string(tv.GateUnavailable))
		ran.want(t)
	}
}
