// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
)

var lately = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// three are tools whose rule is the same condition under deny, ask and allow.
func three(t testing.TB, edit func(*toolverdict.Definition)) catalog {
	t.Helper()
	var out catalog
	for _, name := range []string{"p/deny", "p/ask", "p/allow", "web/fetch", "web/search"} {
		def := toolverdict.Definition{Name: name, Server: "p", Safety: toolverdict.Destructive, Risk: toolverdict.LowRisk}
		if strings.HasPrefix(name, "web/") {
			def.Safety, def.Groups = toolverdict.ReadOnly, []string{"untrusted_read"}
		}
		if edit != nil {
			edit(&def)
		}
		out = append(out, define(t, def))
	}
	return out
}

// before is a call, so long ago, of the caller that probes are made by.
func before(t testing.TB, tools catalog, name string, ago time.Duration, edit func(*policy.Past)) policy.Past {
	t.Helper()
	tl, known := tools.Tool(name)
	if !known {
		t.Fatal(name)
	}
	p := policy.Past{State: toolverdict.PastSucceeded}
	p.Request = request(tl)
	p.At = lately.Add(-ago)
	if edit != nil {
		edit(&p)
	}
	return p
}

func request(tl *toolverdict.Tool) toolverdict.Request {
	return toolverdict.Request{
		Tool: tl, Session: "s", Subject: toolverdict.Subject{ID: "u1", User: "eva", Agent: "bot"}, Run: toolverdict.Run{ID: "r"}, At: lately,
	}
}

// probePast returns what a condition on earlier calls makes of a list of them.
func probePast(t testing.TB, tools catalog, condition string) func(edit func(*toolverdict.Request), past ...policy.Past) outcome {
	t.Helper()
	decide := probeSet(t, tools, condition)
	return func(edit func(*toolverdict.Request), past ...policy.Past) outcome {
		return decide(func(set *policy.Set, r toolverdict.Request) toolverdict.Request {
			if edit != nil {
				edit(&r)
			}
			r.Past = set.Remember(r, past)
			return r
		})
	}
}

// probeSet compiles the condition under each verdict and returns which match.
func probeSet(t testing.TB, tools catalog, condition string) func(func(*policy.Set, toolverdict.Request) toolverdict.Request) outcome {
	t.Helper()
	var text strings.Builder
	text.WriteString("policy: p\nversion: v1\ndefault: ask\nrules:\n")
	for _, v := range []string{"deny", "ask", "allow"} {
		fmt.Fprintf(&text, "- {id: r-%s, verdict: %s, reason: why, tools: p/%s, when: %s}\n", v, v, v, condition)
	}
	set := compile(t, text.String(), tools)
	return func(prepare func(*policy.Set, toolverdict.Request) toolverdict.Request) outcome {
		var o outcome
		for i, v := range []string{"deny", "ask", "allow"} {
			tl, _ := tools.Tool("p/" + v)
			d := set.Decide(prepare(set, request(tl)))
			matched := len(d.Rules) == 1
			switch i {
			case 0:
				o.deny, o.unknown = matched, matched && d.Rules[0].Unknown
			case 1:
				o.ask = matched
			default:
				o.allow = matched
			}
		}
		return o
	}
}

// Which rules match: all for true, none for false, the strict ones for unknown.
var (
	holdsTrue    = outcome{deny: true, ask: true, allow: true}
	holdsFalse   = outcome{}
	holdsUnknown = outcome{deny: true, ask: true, unknown: true}
)

// TestHistoryConditions: each question by what it is asked of.
func TestHistoryConditions(t *testing.T) {
	t.Parallel()
	tools := three(t, nil)
	fetch := func(ago time.Duration, edit func(*policy.Past)) policy.Past {
		return before(t, tools, "web/fetch", ago, edit)
	}
	state := func(s toolverdict.PastState) func(*policy.Past) { return func(p *policy.Past) { p.State = s } }
	session := func(s string) func(*policy.Past) { return func(p *policy.Past) { p.Session = s } }
	minute := time.Minute
	for name, c := range map[string]struct {
		condition string
		past      []policy.Past
		edit      func(*toolverdict.Request)
		want      outcome
	}{
		"nothing before":             {`{history.any: {tools: web/fetch, within: 1h}}`, nil, nil, holdsFalse},
		"one before":                 {`{history.any: {tools: web/fetch, within: 1h}}`, []policy.Past{fetch(minute, nil)}, nil, holdsTrue},
		"not before":                 {`{not: {history.any: {tools: web/fetch, within: 1h}}}`, nil, nil, holdsTrue},
		"not before, but it was":     {`{not: {history.any: {tools: web/fetch, within: 1h}}}`, []policy.Past{fetch(minute, nil)}, nil, holdsFalse},
		"too long ago":               {`{history.any: {tools: web/fetch, within: 1h}}`, []policy.Past{fetch(time.Hour, nil)}, nil, holdsFalse},
		"by its group":               {`{history.any: {tools: "group:untrusted_read", within: 1h}}`, []policy.Past{fetch(minute, nil)}, nil, holdsTrue},
		"by its safety":              {`{history.any: {tools: "safety:read-only", within: 1h}}`, []policy.Past{fetch(minute, nil)}, nil, holdsTrue},
		"by a pattern":               {`{history.any: {tools: ["x/*", "web/*"], within: 1h}}`, []policy.Past{fetch(minute, nil)}, nil, holdsTrue},
		"by its short name":          {`{history.any: {tools: fetch, within: 1h}}`, []policy.Past{fetch(minute, nil)}, nil, holdsTrue},
		"another tool":               {`{history.any: {tools: web/search, within: 1h}}`, []policy.Past{fetch(minute, nil)}, nil, holdsFalse},
		"in another session":         {`{history.any: {tools: web/fetch, within: 1h}}`, []policy.Past{fetch(minute, session("t"))}, nil, holdsFalse},
		"in no session":              {`{history.any: {tools: web/fetch, within: 1h}}`, []policy.Past{fetch(minute, session(""))}, nil, holdsUnknown},
		"from no session":            {`{history.any: {tools: web/fetch, within: 1h}}`, []policy.Past{fetch(minute, nil)}, func(r *toolverdict.Request) { r.Session = "" }, holdsUnknown},
		"by subject":                 {`{history.any: {tools: web/fetch, within: 1h, by: subject}}`, []policy.Past{fetch(minute, session("t"))}, nil, holdsTrue},
		"by user":                    {`{history.any: {tools: web/fetch, within: 1h, by: user}}`, []policy.Past{fetch(minute, func(p *policy.Past) { p.Subject = toolverdict.Subject{ID: "other", User: "eva"} })}, nil, holdsTrue},
		"by agent":                   {`{history.any: {tools: web/fetch, within: 1h, by: agent}}`, []policy.Past{fetch(minute, func(p *policy.Past) { p.Subject = toolverdict.Subject{ID: "bot", Kind: toolverdict.Agent} })}, nil, holdsTrue},
		"by run":                     {`{history.any: {tools: web/fetch, within: 1h, by: run}}`, []policy.Past{fetch(minute, func(p *policy.Past) { p.Run.ID = "q" })}, nil, holdsFalse},
		"by session and user":        {`{history.any: {tools: web/fetch, within: 1h, by: [user, session]}}`, []policy.Past{fetch(minute, session("t"))}, nil, holdsFalse},
		"by anyone":                  {`{history.any: {tools: web/fetch, within: 1h, by: anyone}}`, []policy.Past{fetch(minute, func(p *policy.Past) { p.Subject, p.Session = toolverdict.Subject{ID: "x"}, "y" })}, nil, holdsTrue},
		"by tool":                    {`{history.any: {tools: "*", within: 1h, by: tool}}`, []policy.Past{fetch(minute, nil)}, nil, holdsFalse},
		"an attempt":                 {`{history.any: {tools: web/fetch, within: 1h}}`, []policy.Past{fetch(minute, state(toolverdict.PastAttempted))}, nil, holdsFalse},
		"an attempt that counts":     {`{history.any: {tools: web/fetch, within: 1h, what: attempted}}`, []policy.Past{fetch(minute, state(toolverdict.PastAttempted))}, nil, holdsTrue},
		"a failure ran":              {`{history.any: {tools: web/fetch, within: 1h}}`, []policy.Past{fetch(minute, state(toolverdict.PastFailed))}, nil, holdsTrue},
		"a failure is no success":    {`{history.any: {tools: web/fetch, within: 1h, what: succeeded}}`, []policy.Past{fetch(minute, state(toolverdict.PastFailed))}, nil, holdsFalse},
		"it runs right now":          {`{history.any: {tools: web/fetch, within: 1h, what: succeeded}}`, []policy.Past{fetch(minute, state(toolverdict.PastDispatched))}, nil, holdsUnknown},
		"fewer":                      {`{history.count: {tools: web/fetch, within: 1h, is: {gte: 3}}}`, []policy.Past{fetch(1, nil), fetch(2, nil)}, nil, holdsFalse},
		"as many":                    {`{history.count: {tools: web/fetch, within: 1h, is: {gte: 3}}}`, []policy.Past{fetch(1, nil), fetch(2, nil), fetch(3, nil)}, nil, holdsTrue},
		"more than any number named": {`{history.count: {tools: web/fetch, within: 1h, is: {ne: 1}}}`, []policy.Past{fetch(1, nil), fetch(2, nil), fetch(3, nil)}, nil, holdsTrue},
		"exactly":                    {`{history.count: {tools: web/fetch, within: 1h, is: 2}}`, []policy.Past{fetch(1, nil), fetch(2, nil), fetch(3, nil)}, nil, holdsFalse},
		"none":                       {`{history.count: {tools: web/fetch, within: 1h, is: 0}}`, nil, nil, holdsTrue},
		"one for sure, one perhaps":  {`{history.count: {tools: web/fetch, within: 1h, is: {gte: 2}}}`, []policy.Past{fetch(1, nil), fetch(2, session(""))}, nil, holdsUnknown},
		"perhaps makes no odds":      {`{history.count: {tools: web/fetch, within: 1h, is: {gte: 1}}}`, []policy.Past{fetch(1, nil), fetch(2, session(""))}, nil, holdsTrue},
		"not even with all perhaps":  {`{history.count: {tools: web/fetch, within: 1h, is: {gte: 3}}}`, []policy.Past{fetch(1, nil), fetch(2, session(""))}, nil, holdsFalse},
		"between what may be":        {`{history.count: {tools: web/fetch, within: 1h, is: 1}}`, []policy.Past{fetch(1, session("")), fetch(2, session(""))}, nil, holdsUnknown},
		"this one, too":              {`{history.count: {tools: ["p/*"], within: 1h, andThis: true, is: {gt: 0}}}`, nil, nil, holdsTrue},
		"this one is another tool's": {`{history.count: {tools: web/fetch, within: 1h, andThis: true, is: {gt: 0}}}`, nil, nil, holdsFalse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := probePast(t, tools, c.condition)(c.edit, c.past...)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(outcome{})); diff != "" {
				t.Errorf("%s: %s", c.condition, diff)
			}
		})
	}
}

// TestHistorySums: exact, by currency, and not known where one call did not say.
func TestHistorySums(t *testing.T) {
	t.Parallel()
	tools := three(t, func(d *toolverdict.Definition) { d.Sensitive = []string{"/salary"} })
	with := func(text string, effects ...toolverdict.Effect) func(*policy.Past) {
		return func(p *policy.Past) { p.Arguments, p.Effects = args(t, text), effects }
	}
	pay := func(edit func(*policy.Past)) policy.Past { return before(t, tools, "web/fetch", time.Minute, edit) }
	spend := func(amount, currency string) toolverdict.Effect {
		return toolverdict.Effect{Kind: toolverdict.EffectSpend, Amount: amount, Currency: currency}
	}
	const amounts = `{history.sum: {tools: "*", within: 1h, of: args.amount, is: {gt: 0.3}}}`
	const euros = `{history.sum: {tools: "*", within: 1h, of: spend, currency: EUR, is: {gt: 100}}}`
	const withThis = `{history.sum: {tools: "*", within: 1h, of: args.amount, andThis: true, is: {gt: 500}}}`
	for name, c := range map[string]struct {
		condition string
		this      string
		past      []policy.Past
		want      outcome
	}{
		"nothing":                {amounts, `{}`, nil, holdsFalse},
		"exact":                  {amounts, `{}`, []policy.Past{pay(with(`{"amount":0.1}`)), pay(with(`{"amount":0.2}`))}, holdsFalse},
		"a little more":          {amounts, `{}`, []policy.Past{pay(with(`{"amount":0.1}`)), pay(with(`{"amount":0.20000000001}`))}, holdsTrue},
		"one did not say":        {amounts, `{}`, []policy.Past{pay(with(`{"amount":1}`)), pay(with(`{}`))}, holdsUnknown},
		"as text":                {amounts, `{}`, []policy.Past{pay(with(`{"amount":"1"}`))}, holdsUnknown},
		"in a list":              {amounts, `{}`, []policy.Past{pay(with(`{"amount":[1]}`))}, holdsUnknown},
		"negative makes no room": {amounts, `{}`, []policy.Past{pay(with(`{"amount":5}`)), pay(with(`{"amount":-5}`))}, holdsUnknown},
		"may be another session": {amounts, `{}`, []policy.Past{pay(func(p *policy.Past) { with(`{"amount":5}`)(p); p.Session = "" })}, holdsUnknown},
		"an attempt is nothing":  {amounts, `{}`, []policy.Past{pay(func(p *policy.Past) { with(`{"amount":5}`)(p); p.State = toolverdict.PastAttempted })}, holdsFalse},
		"euros":                  {euros, `{}`, []policy.Past{pay(with(`{}`, spend("60", "EUR"), spend("40.01", "EUR")))}, holdsTrue},
		"other money":            {euros, `{}`, []policy.Past{pay(with(`{}`, spend("600", "USD"), spend("40.01", "EUR")))}, holdsFalse},
		"some money":             {euros, `{}`, []policy.Past{pay(with(`{}`, spend("600", "")))}, holdsUnknown},
		"some amount":            {euros, `{}`, []policy.Past{pay(with(`{}`, spend("", "EUR")))}, holdsUnknown},
		"not understood":         {euros, `{}`, []policy.Past{pay(with(`{}`, toolverdict.Effect{Kind: toolverdict.EffectOpaque}))}, holdsUnknown},
		"not looked at":          {euros, `{}`, []policy.Past{pay(with(`{}`))}, holdsUnknown},
		"spends nothing":         {euros, `{}`, []policy.Past{pay(with(`{}`, toolverdict.Effect{Kind: toolverdict.EffectRead, Path: "/a"}))}, holdsFalse},
		"with this":              {withThis, `{"amount":100.01}`, []policy.Past{pay(with(`{"amount":400}`))}, holdsTrue},
		"with this, within":      {withThis, `{"amount":100}`, []policy.Past{pay(with(`{"amount":400}`))}, holdsFalse},
		"this alone":             {withThis, `{"amount":501}`, nil, holdsTrue},
		"this does not say":      {withThis, `{}`, nil, holdsUnknown},
		"this is negative":       {withThis, `{"amount":-100}`, []policy.Past{pay(with(`{"amount":550}`))}, holdsUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := probePast(t, tools, c.condition)(func(r *toolverdict.Request) { r.Arguments = args(t, c.this) }, c.past...)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(outcome{})); diff != "" {
				t.Errorf("%s: %s", c.condition, diff)
			}
		})
	}
}

// TestHistoryIsNotKeptOfSecrets: a number that the tool calls sensitive leaves
// nothing behind, and where it is this call's own it is not known.
func TestHistoryIsNotKeptOfSecrets(t *testing.T) {
	t.Parallel()
	for pointer, hidden := range map[string]bool{"/Salary": true, "/salary": true, "": false, "/salary/x": false, "/salar": false} {
		tl := define(t, toolverdict.Definition{Name: "p/pay", Server: "p", Safety: toolverdict.Destructive, Risk: toolverdict.LowRisk})
		if pointer != "" {
			tl = define(t, toolverdict.Definition{Name: "p/pay", Server: "p", Safety: toolverdict.Destructive, Risk: toolverdict.LowRisk, Sensitive: []string{pointer}})
		}
		set := compile(t, `{policy: p, version: v1, rules: [{id: r, verdict: deny, reason: why, tools: p/pay, when: {history.sum: {tools: p/pay, within: 1h, of: args.salary, andThis: true, is: {gt: 100}}}}]}`, nil)
		r := request(tl)
		r.Arguments = args(t, `{"salary":5,"other":7}`)
		want := []toolverdict.Number{{Name: `args."salary"`, Value: "5"}}
		if hidden {
			want[0].Value = ""
		}
		if diff := cmp.Diff(want, set.History(r).Numbers); diff != "" {
			t.Errorf("%q: %s", pointer, diff)
		}
		r.Past = set.Remember(r, nil)
		d := set.Decide(r)
		if unknown := len(d.Rules) == 1 && d.Rules[0].Unknown; unknown != hidden {
			t.Errorf("%q: %+v", pointer, d.Rules)
		}
	}
}

// TestHistoryThatIsNotThere: without answers, rules that look back are decided as
// on anything that is not known.
func TestHistoryThatIsNotThere(t *testing.T) {
	t.Parallel()
	tools := three(t, nil)
	for _, condition := range []string{
		`{history.any: {tools: web/fetch, within: 1h}}`, `{not: {history.any: {tools: web/fetch, within: 1h}}}`,
		`{history.count: {tools: web/fetch, within: 1h, is: {gte: 3}}}`, `{history.sum: {tools: web/fetch, within: 1h, of: args.n, is: {gte: 3}}}`,
	} {
		got := probeSet(t, tools, condition)(func(_ *policy.Set, r toolverdict.Request) toolverdict.Request { return r })
		if diff := cmp.Diff(holdsUnknown, got, cmp.AllowUnexported(outcome{})); diff != "" {
			t.Errorf("%s: %s", condition, diff)
		}
	}
}

// TestSameQuestionIsAskedOnce: however it is written, and in however many rules.
func TestSameQuestionIsAskedOnce(t *testing.T) {
	t.Parallel()
	set := compile(t, `
policy: p
version: v1
rules:
- {id: a, verdict: deny, reason: why, tools: p/x, when: {history.any: {tools: [a/b, c/d], within: 1h}}}
- {id: b, verdict: ask, reason: why, tools: p/x, unless: {all: [{history.any: {tools: [c/d, a/b], within: 60m, by: [session], what: executed}}, {not: {history.count: {tools: [c/d, a/b], within: 1h, is: {lt: 1}}}}]}}
- {id: c, verdict: ask, reason: why, tools: p/x, when: {history.count: {tools: [c/d, a/b], within: 1h, is: {lt: 2}}}}
- {id: d, verdict: ask, reason: why, tools: p/y, when: {history.any: {tools: [c/d], within: 1h}}}
`, nil)
	tl := define(t, toolverdict.Definition{Name: "p/x", Server: "p", Safety: toolverdict.Destructive, Risk: toolverdict.LowRisk})
	looks := set.History(request(tl)).Looks
	if len(looks) != 1 || looks[0].Most != 3 {
		t.Errorf("%+v: want one question, which counts as far as the last rule needs", looks)
	}
}

// drawPast makes calls that often tie to the one that is decided.
func drawPast(t *rapid.T, tools catalog) []policy.Past {
	var out []policy.Past
	for range rapid.IntRange(0, 5).Draw(t, "calls") {
		p := policy.Past{State: rapid.SampledFrom([]toolverdict.PastState{toolverdict.PastAttempted, toolverdict.PastDispatched, toolverdict.PastFailed, toolverdict.PastSucceeded}).Draw(t, "state")}
		p.Request = request(rapid.SampledFrom(tools).Draw(t, "tool"))
		p.At = lately.Add(-time.Duration(rapid.IntRange(0, 4).Draw(t, "ago")) * time.Minute)
		p.Session = rapid.SampledFrom([]string{"s", "s", "t", ""}).Draw(t, "session")
		p.Subject.User = rapid.SampledFrom([]string{"eva", "eva", "bob", ""}).Draw(t, "user")
		p.Arguments = fromGo(t, rapid.SampledFrom([]any{map[string]any{"n": 1}, map[string]any{"n": 2}, map[string]any{"n": "2"}, map[string]any{}}).Draw(t, "arguments"))
		out = append(out, p)
	}
	return out
}

// asking is a condition on earlier calls, written down twice.
type asking struct {
	kind, tools, by, what string
	minutes, bound        int
	operator              string
	andThis               bool
}

func drawAsking(t *rapid.T) asking {
	pick := func(what string, from ...string) string { return rapid.SampledFrom(from).Draw(t, what) }
	a := asking{
		kind: pick("kind", "any", "count", "sum"), tools: pick("tools", "web/fetch", "web/*", "*", "group:untrusted_read", "p/deny"),
		by: pick("by", "session", "user", "[session, user]", "anyone", "subject"), what: pick("what", "attempted", "executed", "succeeded"),
		minutes: rapid.IntRange(1, 4).Draw(t, "minutes"), bound: rapid.IntRange(1, 3).Draw(t, "bound"), operator: pick("operator", "gte", "lt", "eq"),
	}
	if a.kind == "sum" && a.what == "attempted" {
		a.what = "executed"
	}
	a.andThis = a.kind != "any" && rapid.Bool().Draw(t, "with this")
	return a
}

func (a asking) yaml() string {
	s := fmt.Sprintf("history.%s: {tools: %q, within: %dm, by: %s, what: %s", a.kind, a.tools, a.minutes, a.by, a.what)
	if a.kind == "sum" {
		s += ", of: args.n"
	}
	if a.kind != "any" {
		s += fmt.Sprintf(", andThis: %v, is: {%s: %d}", a.andThis, a.operator, a.bound)
	}
	return "{" + s + "}}"
}

func (a asking) covers(name string) bool {
	return map[string]bool{
		"web/fetch": name == "web/fetch", "web/*": strings.HasPrefix(name, "web/"), "*": true,
		"group:untrusted_read": strings.HasPrefix(name, "web/"), "p/deny": name == "p/deny",
	}[a.tools]
}

// truth is what the condition says, from the definition of each word.
func (a asking) truth(r toolverdict.Request, past []policy.Past) truth {
	low, high, known := 0, 0, true
	add := func(p toolverdict.Request, sure bool) {
		n := 1
		if a.kind == "sum" {
			v, _ := p.Arguments.Get("n")
			i, ok := v.Number().Int64()
			if v.Kind() != canon.KindNumber || !ok || !sure {
				known = false
			}
			n = int(i)
		}
		high += n
		if sure {
			low += n
		}
	}
	for _, p := range past {
		sure := true
		ran := p.State >= toolverdict.PastDispatched
		if !a.covers(p.Tool.Name()) || !p.At.After(r.At.Add(-time.Duration(a.minutes)*time.Minute)) ||
			a.what != "attempted" && !ran || a.what == "succeeded" && p.State == toolverdict.PastFailed {
			continue
		}
		if a.what == "succeeded" && p.State == toolverdict.PastDispatched {
			sure = false
		}
		tied := true
		for by, pair := range map[string][2]string{"session": {r.Session, p.Session}, "user": {r.Subject.User, p.Subject.User}} {
			switch {
			case !strings.Contains(a.by, by) || pair[0] == pair[1] && pair[0] != "":
			case pair[0] == "" || pair[1] == "":
				sure = false
			default:
				tied = false
			}
		}
		if tied {
			add(p.Request, sure)
		}
	}
	if a.andThis && a.covers(r.Tool.Name()) {
		add(r, true)
	}
	if !known {
		return -1
	}
	seen := map[bool]bool{}
	for n := low; n <= high; n++ {
		seen[map[string]bool{"gte": n >= a.bound, "lt": n < a.bound, "eq": n == a.bound, "": n >= 1}[map[bool]string{true: "", false: a.operator}[a.kind == "any"]]] = true
	}
	switch {
	case len(seen) == 2:
		return -1
	case seen[true]:
		return 1
	}
	return 0
}

// TestHistoryOracle: what rules make of earlier calls is what their words say, in
// any order of rules and files, and without answers it is not known.
func TestHistoryOracle(t *testing.T) {
	t.Parallel()
	tools := three(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		var rules, turned []string
		var asked []asking
		verdicts := []string{"deny", "ask", "allow"}
		for i := range rapid.IntRange(1, 6).Draw(t, "rules") {
			a := drawAsking(t)
			asked = append(asked, a)
			rules = append(rules, fmt.Sprintf("- {id: r%d, verdict: %s, reason: why, tools: p/deny, when: %s}\n", i, verdicts[i%3], a.yaml()))
		}
		turned = append(turned, rules...)
		slices.Reverse(turned)
		head := "policy: p\nversion: v1\nrules:\n"
		set, err := tryCompile(head + strings.Join(rules, ""))
		if err != nil {
			t.Fatal(err)
		}
		other, err := tryCompile(head + strings.Join(turned, ""))
		if err != nil {
			t.Fatal(err)
		}
		r := request(tools[0])
		r.Session, r.Subject.User = rapid.SampledFrom([]string{"s", "s", ""}).Draw(t, "session"), rapid.SampledFrom([]string{"eva", ""}).Draw(t, "user")
		r.Arguments = fromGo(t, rapid.SampledFrom([]any{map[string]any{"n": 1}, map[string]any{}}).Draw(t, "arguments"))
		past := drawPast(t, tools)
		blind := set.Decide(r)
		r.Past = set.Remember(r, past)
		d := set.Decide(r)
		stricter, err := tryCompile(head + strings.Join(rules, "") + fmt.Sprintf("- {id: more, verdict: %s, reason: why, tools: p/deny, when: %s}\n", rapid.SampledFrom(verdicts[:2]).Draw(t, "more"), drawAsking(t).yaml()))
		if err != nil {
			t.Fatal(err)
		}
		again := r
		again.Past = stricter.Remember(again, past)
		if more := stricter.Decide(again); len(d.Rules) > 0 && more.Verdict > d.Verdict || more.Verdict == toolverdict.Allow && d.Verdict != toolverdict.Allow {
			t.Fatalf("a further rule made %s of %s", more.Verdict, d.Verdict)
		}
		var want []toolverdict.Match
		for i, a := range asked {
			v := []toolverdict.Verdict{toolverdict.Deny, toolverdict.Ask, toolverdict.Allow}[i%3]
			if got := a.truth(r, past); got == 1 || got < 0 && v != toolverdict.Allow {
				want = append(want, toolverdict.Match{Rule: fmt.Sprint("r", i), Verdict: v, Unknown: got < 0})
			}
		}
		if diff := cmp.Diff(want, d.Rules); diff != "" {
			t.Fatalf("%v after %d calls: %s\n%s", asked, len(past), diff, strings.Join(rules, ""))
		}
		if diff := cmp.Diff(d, other.Decide(r)); diff != "" {
			t.Fatalf("in another order: %s", diff)
		}
		if blind.Verdict > d.Verdict && len(d.Rules) > 0 || blind.Verdict == toolverdict.Allow && d.Verdict != toolverdict.Allow {
			t.Fatalf("without a history %s became %s\n%s", d.Verdict, blind.Verdict, strings.Join(rules, ""))
		}
	})
}

// TestLookingBackIsCheap: a decision that rests on earlier calls allocates
// nothing, as others do not.
func TestLookingBackIsCheap(t *testing.T) {
	tools := three(t, nil)
	set := compile(t, `{policy: p, version: v1, rules: [{id: r, verdict: deny, reason: why, tools: p/deny, when: {history.count: {tools: web/fetch, within: 1h, is: {gte: 3}}}}]}`, tools)
	r := request(tools[0])
	r.Past = set.Remember(r, []policy.Past{{Request: request(tools[3]), State: toolverdict.PastSucceeded}})
	if got := testing.AllocsPerRun(100, func() { set.Decide(r) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
