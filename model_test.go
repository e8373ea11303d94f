// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/store/memory"
	"github.com/toolverdict/toolverdict/ledger"
)

// The model: a few actors, each with a gate, a desk and a book of its own over
// one store, stop before every use of the store and before the tool is reached.
// A search tries every order in which they can go on, with a process that dies,
// a clock that jumps and a policy that changes anywhere in between. The code that
// runs is the product's; the search only chooses who goes next.

// actor is one thread of a process.
type actor struct {
	name, node string
	do         func(w *stage, a *actor)

	want    chan string // says what it is about to do; closed when it is done
	proceed chan bool   // false: its process died
	dead    bool
	begun   bool
	done    bool
	at      string // what it is about to do
	seen    []byte // digest of everything the store told it: all it can know
	ids     int

	gate *tv.Gate
	desk *approval.Desk
	book *ledger.Book
}

var errDied = errors.New("the process died")

// step waits for its turn. It reports whether the process lives.
func (a *actor) step(what string) bool {
	if a.dead {
		return false
	}
	a.want <- what
	if !<-a.proceed {
		a.dead = true
	}
	return !a.dead
}

func (a *actor) learn(v any, err error) {
	b, _ := json.Marshal(v)
	sum := sha256.Sum256(fmt.Append(a.seen, string(b), err))
	a.seen = sum[:]
}

// turns is a store that an actor reaches in its turn only.
type turns struct {
	*memory.Store
	a      *actor
	broken bool // writes whatever was read: what the search must notice
}

func (s turns) Claim(ctx context.Context, key string) (tv.Claim, error) {
	if !s.a.step("read claim") {
		return tv.Claim{}, errDied
	}
	c, err := s.Store.Claim(ctx, key)
	s.a.learn(c, err)
	return c, err
}

func (s turns) Approval(ctx context.Context, id string) (tv.Approval, error) {
	if !s.a.step("read approval") {
		return tv.Approval{}, errDied
	}
	v, err := s.Store.Approval(ctx, id)
	s.a.learn(v, err)
	return v, err
}

func (s turns) Commit(ctx context.Context, c tv.Changes) error {
	if !s.a.step("commit") {
		return errDied
	}
	if s.broken {
		c = s.unconditional(ctx, c)
	}
	err := s.Store.Commit(ctx, c)
	s.a.learn(nil, err)
	return err
}

// unconditional names the versions of now, whatever the writer read, and leaves
// out the steps that an approval may not take.
func (s turns) unconditional(ctx context.Context, c tv.Changes) tv.Changes {
	c.Claims = slices.Clone(c.Claims)
	for i := range c.Claims {
		is, _ := s.Store.Claim(ctx, c.Claims[i].To.Key)
		c.Claims[i].From = is.Epoch
	}
	var steps []tv.ApprovalChange
	for _, step := range c.Approvals {
		is, err := s.Store.Approval(ctx, step.To.ID)
		if step.From = is.Version; err != nil || is.State.CanBecome(step.To.State) {
			steps = append(steps, step)
		}
	}
	c.Approvals = steps
	return c
}

// waits is a desk whose wait for an answer ends when there is one.
type waits struct {
	*approval.Desk
	w *stage
	a *actor
}

func (d waits) Await(ctx context.Context, id string) (tv.Approval, error) {
	if !d.a.step("await " + id) {
		return tv.Approval{}, errDied
	}
	v, err := d.w.store.Approval(ctx, id)
	if v.State == tv.ApprovalPending && !d.w.clock.Now().Before(v.Expires) {
		v.State = tv.ApprovalExpired
	}
	d.a.learn(v, err)
	return v, err
}

// dispatch is one call that reached the tool, and the approval that the ledger
// named then.
type dispatch struct{ call, approval, arguments, subject string }

// stage is one run of a scenario.
type stage struct {
	scenario *scenario
	clock    *gatetest.Clock
	store    *memory.Store
	snaps    *gatetest.Snapshots
	actors   []*actor
	left     []string // events that can still happen
	ran      []dispatch
}

type scenario struct {
	actors []actor
	events []string // "crash n1", "late", "denies", "other policy"; each once at most
	asked  bool     // a question is open at the start
	edited bool     // and was edited
	quorum int
	broken bool
}

func newStage(s *scenario) *stage {
	w := &stage{scenario: s, clock: gatetest.NewClock(), left: slices.Clone(s.events)}
	w.snaps = gatetest.NewSnapshots(gatetest.Catalog{cancelTool()}, w.policy("first", tv.Ask))
	var err error
	if w.store, err = memory.New(memory.Config{Now: w.clock.Now}); err != nil {
		panic(err)
	}
	if s.asked {
		w.before(actor{name: "asker", node: "n0", do: func(_ *stage, a *actor) { a.call(asksOne, "") }})
	}
	if s.edited {
		w.before(edits("editor", "n0", `{"id":"A2"}`))
	}
	for i := range s.actors {
		a := s.actors[i]
		w.start(&a)
		w.actors = append(w.actors, &a)
	}
	return w
}

// before has something happen before the search begins.
func (w *stage) before(a actor) {
	w.start(&a)
	for a.begin(w); !a.done; {
		a.goOn(true)
	}
}

func (w *stage) policy(name string, v tv.Verdict) tv.Policy {
	return gatetest.Policy{Name: name, Func: func(tv.Request) tv.Decision {
		d := gatetest.Says(v)
		for i := range d.Asks {
			d.Asks[i].Quorum = max(w.scenario.quorum, 1)
		}
		return d
	}}
}

// start gives an actor its process.
func (w *stage) start(a *actor) {
	a.want, a.proceed = make(chan string), make(chan bool)
	st := turns{w.store, a, w.scenario.broken}
	plain := func(s string) string { return s }
	ids := func() string { a.ids++; return fmt.Sprintf("%s-%d", a.name, a.ids) }
	var err error
	a.desk, err = approval.New(approval.Config{Store: st, Now: w.clock.Now, NewID: ids, Text: plain, Poll: time.Hour})
	if err != nil {
		panic(err)
	}
	if a.book, err = ledger.New(ledger.Config{Store: st, Now: w.clock.Now, Text: plain}); err != nil {
		panic(err)
	}
	a.gate, err = tv.New(tv.Config{
		Snapshots: w.snaps, Choices: w.store, Analyser: gatetest.Analyser(nil), Confirmations: waits{a.desk, w, a}, Store: st,
		Executor: reaches{w, a}, Redactor: gatetest.Redactor{}, Now: w.clock.Now, NewID: ids, Node: a.node,
	})
	if err != nil {
		panic(err)
	}
}

// reaches is the executor: the tool runs in the actor's turn.
type reaches struct {
	w *stage
	a *actor
}

func (r reaches) Execute(_ context.Context, p tv.Permit) tv.Outcome {
	if !r.a.step("tool") {
		return tv.Outcome{}
	}
	claim, _ := r.w.store.Claim(context.Background(), p.IdempotencyKey())
	if claim.CallID != p.CallID() || claim.State != tv.ClaimDispatched {
		claim.Approval = "" // not this call's claim: the check finds it
	}
	r.w.ran = append(r.w.ran, dispatch{p.CallID(), claim.Approval, string(p.Arguments()), p.Subject().ID})
	return tv.Outcome{Status: tv.Succeeded}
}

// begin lets an actor run up to its first step.
func (a *actor) begin(w *stage) {
	a.begun = true
	go func() {
		defer close(a.want)
		a.do(w, a)
	}()
	a.wait()
}

func (a *actor) wait() {
	at, more := <-a.want
	a.at, a.done = at, !more
}

// goOn lets an actor take the step that it waits for, or has its process die.
func (a *actor) goOn(alive bool) {
	a.proceed <- alive
	a.wait()
}

// What actors do.

func (a *actor) call(args, confirmation string) tv.Result {
	p := call("cancel", args)
	if p.Confirmation = confirmation; args == "" {
		p.Tool, p.Arguments = "", nil
	}
	res, _ := a.gate.Do(context.Background(), p)
	return res
}

// comesBack makes the call again, by its arguments or by the first question's id.
func comesBack(name, node, args, confirmation string) actor {
	return actor{name: name, node: node, do: func(_ *stage, a *actor) { a.call(args, confirmation) }}
}

// holds waits for an answer for as long as it takes.
func holds(name, node string) actor {
	return actor{name: name, node: node, do: func(_ *stage, a *actor) {
		p := call("cancel", `{"id":"A1"}`)
		p.Wait = time.Hour
		_, _ = a.gate.Do(context.Background(), p)
	}}
}

// answers looks for the question that waits, and answers it.
func answers(name, node string, by tv.Subject, how func(d *approval.Desk) func(context.Context, tv.Subject, string, string) (tv.Approval, error), state tv.ApprovalState) actor {
	return actor{name: name, node: node, do: func(w *stage, a *actor) {
		if id := a.find(w, state); id != "" {
			_, _ = how(a.desk)(context.Background(), by, id, "")
		}
	}}
}

// find reads a list: a step of its own.
func (a *actor) find(w *stage, state tv.ApprovalState) string {
	if !a.step("list " + string(state)) {
		return ""
	}
	found, err := w.store.Approvals(context.Background(), tv.ApprovalQuery{State: state})
	a.learn(found, err)
	if len(found) == 0 {
		return ""
	}
	return found[0].ID
}

func approves(d *approval.Desk) func(context.Context, tv.Subject, string, string) (tv.Approval, error) {
	return d.Approve
}

func saysNo(d *approval.Desk) func(context.Context, tv.Subject, string, string) (tv.Approval, error) {
	return d.Reject
}

func revokes(d *approval.Desk) func(context.Context, tv.Subject, string, string) (tv.Approval, error) {
	return d.Revoke
}

func cancels(d *approval.Desk) func(context.Context, tv.Subject, string, string) (tv.Approval, error) {
	return d.Cancel
}

func edits(name, node, args string) actor {
	return actor{name: name, node: node, do: func(w *stage, a *actor) {
		if id := a.find(w, tv.ApprovalPending); id != "" {
			_, _ = a.gate.Edit(context.Background(), approver, id, []byte(args), "")
		}
	}}
}

// choices are what can happen next, by name.
func (w *stage) choices() []string {
	var out []string
	for _, a := range w.actors {
		if !a.done && !a.dead && w.ready(a) {
			out = append(out, a.name)
		}
	}
	for _, e := range w.left {
		if node, crash := strings.CutPrefix(e, "crash "); !crash || slices.ContainsFunc(w.actors, func(a *actor) bool { return a.node == node && a.begun && !a.done }) {
			out = append(out, e)
		}
	}
	return out
}

// ready reports whether an actor can go on: one that waits for an answer wants
// one first.
func (w *stage) ready(a *actor) bool {
	id, waits := strings.CutPrefix(a.at, "await ")
	if !waits {
		return true
	}
	v, err := w.store.Approval(context.Background(), id)
	return err != nil || v.State != tv.ApprovalPending || !w.clock.Now().Before(v.Expires)
}

// happen makes one choice happen.
func (w *stage) happen(choice string) {
	if i := slices.IndexFunc(w.actors, func(a *actor) bool { return a.name == choice }); i >= 0 {
		if a := w.actors[i]; a.begun {
			a.goOn(true)
		} else {
			a.begin(w)
		}
		return
	}
	w.left = slices.DeleteFunc(w.left, func(e string) bool { return e == choice })
	switch choice {
	case "late":
		w.clock.Pass(16 * time.Minute)
	case "denies":
		w.snaps.Swap(w.snaps.Current().Catalog, w.policy("second", tv.Deny))
	case "other policy":
		w.snaps.Swap(w.snaps.Current().Catalog, w.policy("third", tv.Ask))
	default:
		node, _ := strings.CutPrefix(choice, "crash ")
		w.store.Lose(node)
		for _, a := range w.actors {
			if a.node == node {
				a.die()
			}
		}
	}
}

func (a *actor) die() {
	for a.begun && !a.done {
		a.goOn(false)
	}
	a.dead = true
}

func (w *stage) all() (as []tv.Approval, cs []tv.Claim) {
	as, err := w.store.Approvals(context.Background(), tv.ApprovalQuery{Limit: 100})
	if err != nil {
		panic(err)
	}
	if cs, err = w.store.Claims(context.Background(), tv.ClaimQuery{Limit: 100}); err != nil {
		panic(err)
	}
	return as, cs
}

// fingerprint tells states apart by everything that what comes may depend on.
func (w *stage) fingerprint() string {
	as, cs := w.all()
	h := sha256.New()
	policy, _ := w.snaps.Current().Policy.Identity()
	b, err := json.Marshal([]any{as, cs, w.clock.Now(), policy, w.left})
	if err != nil {
		panic(err)
	}
	h.Write(b)
	fmt.Fprint(h, w.ran)
	for _, a := range w.actors {
		fmt.Fprint(h, a.name, a.begun, a.done, a.dead, a.at, hex.EncodeToString(a.seen))
	}
	return string(h.Sum(nil))
}

// check looks at what must hold always.
func (w *stage) check() error {
	as, _ := w.all()
	used := map[string]int{}
	for _, d := range w.ran {
		i := slices.IndexFunc(as, func(a tv.Approval) bool { return a.ID == d.approval })
		if i < 0 {
			return fmt.Errorf("%v was dispatched without a claim and an approval", d)
		}
		if err := w.covers(&as[i], d); err != nil {
			return err
		}
		if used[d.approval]++; used[d.approval] > 1 {
			return fmt.Errorf("approval %s was used for two dispatches", d.approval)
		}
	}
	if len(w.ran) > 1 {
		return fmt.Errorf("one act was dispatched %d times: %v", len(w.ran), w.ran)
	}
	return nil
}

// covers reports why an approval is not for a dispatch.
func (w *stage) covers(a *tv.Approval, d dispatch) error {
	if args := a.Card.Arguments; string(args) != d.arguments || a.Call.Subject.ID != d.subject {
		return fmt.Errorf("approved was %s of %s, and %v ran", args, a.Call.Subject.ID, d)
	}
	yes := map[string]bool{}
	for _, v := range a.Votes {
		switch {
		case !v.Approved:
			return fmt.Errorf("%s ran though %s said no", a.ID, v.By.ID)
		case v.By.HasRole("approver") && !slices.Contains(a.Editors, v.By.ID) && v.At.Before(a.Expires):
			yes[v.By.ID] = true
		}
	}
	if len(yes) < max(w.scenario.quorum, 1) {
		return fmt.Errorf("%s ran with the yes of %d", a.ID, len(yes))
	}
	intent, err := w.intent(d.call)
	switch {
	case err != nil:
		return err
	case intent.PolicyHash != a.PolicyHash || intent.ToolHash != a.ToolHash || intent.Approval != a.ID:
		return fmt.Errorf("%s was asked under another policy or tool than it ran under", a.ID)
	case !intent.At.Before(a.Expires):
		return fmt.Errorf("%s ran after its deadline", a.ID)
	}
	return nil
}

// intent finds the record of a dispatched call, which must be there before the
// tool is reached.
func (w *stage) intent(call string) (tv.Record, error) {
	view, err := w.store.Log(context.Background())
	if err != nil {
		return tv.Record{}, err
	}
	found, err := view.Find(context.Background(), audit.Query{Call: call, Kind: tv.RecordDecision})
	if err != nil || len(found) == 0 || found[0].Verdict != "allow" {
		return tv.Record{}, fmt.Errorf("call %s was dispatched without a record: %v", call, err)
	}
	return found[0].Record, nil
}

// settle lets the clock, a sweep, a recovery and a person end what is open. Until
// then, whatever waits must still have somebody who can answer it.
func (w *stage) settle() error {
	keeper := &actor{name: "keeper", node: "n9", do: func(w *stage, a *actor) {
		_, _ = a.desk.Sweep(context.Background())
		_, _ = a.book.Recover(context.Background())
	}}
	as, _ := w.all()
	w.start(keeper)
	for i := range as {
		a := &as[i]
		if a.State == tv.ApprovalPending && w.clock.Now().Before(a.Expires) && keeper.desk.MayEdit(third, a) != nil {
			return fmt.Errorf("%s waits and nobody can answer it", a.ID)
		}
	}
	w.clock.Pass(25 * time.Hour)
	for keeper.begin(w); !keeper.done; {
		keeper.goOn(true)
	}
	as, cs := w.all()
	for _, c := range cs {
		if c.State == tv.ClaimDispatched {
			return fmt.Errorf("nobody will ever learn of %s", c.Key)
		}
	}
	for _, a := range as {
		switch a.State {
		case tv.ApprovalPending, tv.ApprovalApproved, tv.ApprovalClaimed:
			return fmt.Errorf("%s is lost: it stays %s for ever", a.ID, a.State)
		case tv.ApprovalUnknown:
			if c, err := w.store.Claim(context.Background(), a.Key); err != nil || c.State != tv.ClaimUnknown {
				return fmt.Errorf("%s is unknown, and no entry of the ledger can be settled: %v, %v", a.ID, c.State, err)
			}
		default: // final
		}
	}
	return nil
}

var third = tv.Subject{ID: "third", Kind: tv.Person, Roles: []string{"approver"}}

// explore tries every order, or as many as are enough: 0 for all. It returns how
// many states there are, and the first path on which something does not hold.
func explore(s *scenario, most, enough int) (states int, path []string, broken error) {
	seen := map[string]bool{}
	todo := [][]string{nil}
	for len(todo) > 0 && (enough == 0 || states < enough) {
		path, todo = slices.Clone(todo[0]), todo[1:]
		w := newStage(s)
		for _, choice := range path {
			w.happen(choice)
		}
		for {
			if err := w.check(); err != nil {
				w.end()
				return states, path, err
			}
			mark := w.fingerprint()
			if seen[mark] {
				break
			}
			seen[mark] = true
			if states++; states > most {
				w.end()
				return states, path, fmt.Errorf("more than %d states: make the scenario smaller", most)
			}
			next := w.choices()
			if len(next) == 0 || !slices.ContainsFunc(w.actors, func(a *actor) bool { return !a.done && !a.dead }) {
				w.end()
				if err := w.settle(); err != nil {
					return states, path, err
				}
				break
			}
			for _, other := range next[1:] {
				todo = append(todo, append(slices.Clone(path), other))
			}
			path = append(path, next[0])
			w.happen(next[0])
		}
		w.end()
	}
	return states, nil, nil
}

// end ends what still runs of a stage.
func (w *stage) end() {
	for _, a := range w.actors {
		a.die()
	}
}

const asksOne, firstID = `{"id":"A1"}`, "asker-2"

func scenarios() map[string]scenario {
	back1, back2 := comesBack("back1", "n1", "", firstID), comesBack("back2", "n2", asksOne, "")
	yes, no := answers("yes", "n2", third, approves, tv.ApprovalPending), answers("no", "n1", approver, saysNo, tv.ApprovalPending)
	return map[string]scenario{
		"two come back, one approves":         {actors: []actor{back1, back2, yes}, events: []string{"crash n1", "late"}, asked: true},
		"two come back, one revokes":          {actors: []actor{back1, yes, answers("back out", "n1", approver, revokes, tv.ApprovalApproved)}, events: []string{"crash n1"}, asked: true},
		"one approves, one rejects":           {actors: []actor{back2, yes, no}, events: []string{"crash n1"}, asked: true},
		"two must approve":                    {actors: []actor{back1, yes, answers("yes2", "n1", approver, approves, tv.ApprovalPending)}, events: []string{"crash n1", "late"}, asked: true, quorum: 2},
		"two ask at once":                     {actors: []actor{comesBack("ask1", "n1", asksOne, ""), comesBack("ask2", "n2", asksOne, ""), yes}, events: []string{"crash n1"}},
		"the policy changes":                  {actors: []actor{back1, back2, yes}, events: []string{"other policy"}, asked: true},
		"the policy denies":                   {actors: []actor{back1, edits("edit", "n1", `{"id":"A2"}`), yes}, events: []string{"denies"}, asked: true},
		"one edits, one approves":             {actors: []actor{back2, edits("edit", "n1", `{"id":"A2"}`), yes}, events: []string{"crash n1"}, asked: true},
		"one edits, two come back":            {actors: []actor{back1, comesBack("back2", "n2", `{"id":"A2"}`, ""), edits("edit", "n2", `{"id":"A2"}`)}, events: []string{"late"}, asked: true},
		"edited, approved, two come back":     {actors: []actor{back1, back2, yes}, events: []string{"crash n1"}, asked: true, edited: true},
		"two edit at once":                    {actors: []actor{back2, edits("edit1", "n1", `{"id":"A2"}`), edits("edit2", "n2", `{"id":"A3"}`)}, events: []string{"crash n1"}, asked: true},
		"one edits, the caller takes it back": {actors: []actor{back2, edits("edit", "n1", `{"id":"A2"}`), answers("cancel", "n2", caller, cancels, tv.ApprovalPending)}, events: []string{"crash n1"}, asked: true},
		"a held call is edited and approved":  {actors: []actor{holds("held", "n1"), edits("edit", "n2", `{"id":"A2"}`), yes}, events: []string{"crash n1"}, asked: true},
	}
}

// TestModel: whatever the order, and whoever dies, an approval is good for one
// dispatch of one exact call by one subject before one deadline; a claimed call
// is dispatched at most once; and no approval is lost.
func TestModel(t *testing.T) {
	t.Parallel()
	for name, s := range scenarios() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			states, path, err := explore(&s, 20_000, enough)
			if err != nil {
				t.Fatalf("after %s: %v", strings.Join(path, ", "), err)
			}
			if states < 50 {
				t.Errorf("only %d states: nothing was tried", states)
			}
			t.Logf("%d states", states)
		})
	}
}

// TestModelSees: a store that writes whatever was read before is one that the
// search finds out.
func TestModelSees(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"two come back, one approves", "edited, approved, two come back"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scenarios()[name]
			s.broken = true
			states, path, err := explore(&s, 20_000, 0)
			if err == nil {
				t.Fatalf("%d states of a store without conditions, and nothing is wrong", states)
			}
			t.Logf("after %s: %v", strings.Join(path, ", "), err)
		})
	}
}
