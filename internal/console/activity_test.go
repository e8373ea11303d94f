// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
)

// proving is a log that proves its records, unless a test has other proofs.
type proving struct {
	logs
	r *rig
}

// Prove implements activity.Log.
func (l proving) Prove(ctx context.Context, place int64) ([]byte, *audit.Verifier, error) {
	v, err := l.Log(ctx)
	if err != nil {
		return nil, nil, err
	}
	if l.r.prove != nil {
		proof, err := l.r.prove()
		return proof, v.Key(), err
	}
	proof, err := v.Prove(ctx, v.Key(), place)
	return proof, v.Key(), err
}

// write adds records to the log, by the clock of the test where they say no time.
func (r *rig) write(records ...tv.Record) {
	r.t.Helper()
	for i := range records {
		if records[i].At.IsZero() {
			records[i].At = r.now()
		}
	}
	for len(records) > 0 {
		n := min(len(records), 500)
		if err := r.store.Commit(context.Background(), tv.Changes{Records: records[:n]}); err != nil {
			r.t.Fatal(err)
		}
		records = records[n:]
	}
}

func (r *rig) page(path, user string) string {
	r.t.Helper()
	w := r.visit(http.MethodGet, path, r.signIn(user), nil)
	if w.Code != http.StatusOK {
		r.t.Fatalf("%s: %d\n%s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

var entry = regexp.MustCompile(`<li class="entry[^"]*"><a href="([^"]+)"`)

func entries(page string) []string {
	var out []string
	for _, m := range entry.FindAllStringSubmatch(page, -1) {
		out = append(out, strings.ReplaceAll(m[1], "&amp;", "&"))
	}
	return out
}

func TestTheListSelects(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write(
		tv.Record{Kind: tv.RecordDecision, CallID: "one", Subject: "agent", User: "clerk", Tool: "orders/refund", Verdict: "deny", Code: tv.PolicyDenied, Rule: "no-refund", Session: "s-1", Run: "run-7"},
		tv.Record{Kind: tv.RecordDecision, CallID: "two", Subject: "bot", Tool: "mail/send", Verdict: "allow", Grant: "grant1", Arguments: []byte(`{"to":"Ann"}`)},
		tv.Record{Kind: tv.RecordOutcome, CallID: "two", Subject: "bot", Tool: "mail/send", Verdict: "allow", Code: tv.ToolTimeout},
		tv.Record{Kind: tv.RecordApproval, Subject: "ada", Approval: "approval1", ApprovalState: tv.ApprovalApproved, Detail: "fine by me"},
	)
	for query, want := range map[string]int{
		"":                           5, // and a sign-in at least
		"verdict=deny":               1,
		"tool=orders/*":              1,
		"tool=mail/send":             2,
		"subject=clerk":              1,
		"session=s-1":                1,
		"run=run-7":                  1,
		"run=run-8":                  0,
		"code=TOOL_TIMEOUT":          1,
		"kind=approval":              1,
		"id=approval1":               1,
		"id=grant1":                  1,
		"q=FINE+by":                  1,
		"q=ann":                      1,
		"q=no-refund&verdict=allow":  0,
		"since=2020-01-01T00:00":     5,
		"until=2020-01-01T00:00":     0,
		"since=2099-01-01T00:00":     0,
		"verdict=deny&code=&kind=++": 1,
	} {
		got := entries(r.page("/console/activity?"+query, "root"))
		if query == "" || strings.HasPrefix(query, "since=2020") {
			got = got[len(got)-min(len(got), want):] // signing in again and again adds records
			if len(got) < want {
				t.Errorf("%s: %d rows", query, len(got))
			}
			continue
		}
		if len(got) != want {
			t.Errorf("%s: %d rows, want %d: %v", query, len(got), want, got)
		}
	}
	cookie := r.signIn("root")
	for _, bad := range []string{"verdict=maybe", "code=NO", "kind=x", "since=yesterday", "until=1", "before=x", "before=-1", "q=" + strings.Repeat("x", 513)} {
		w := r.visit(http.MethodGet, "/console/activity?"+bad, cookie, nil)
		if w.Code != http.StatusBadRequest || len(entries(w.Body.String())) > 0 || !strings.Contains(w.Body.String(), `role="alert"`) {
			t.Errorf("%s: %d shows %v", bad, w.Code, entries(w.Body.String()))
		}
	}
}

func TestTheListGoesBackInBoundedSteps(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var many []tv.Record
	many = append(many, tv.Record{Kind: tv.RecordDecision, CallID: "first", Subject: "rare", Verdict: "deny"})
	for i := range 20_100 {
		many = append(many, tv.Record{Kind: tv.RecordDecision, CallID: fmt.Sprint("c", i), Subject: "agent", Verdict: "allow"})
	}
	r.write(many...)
	cookie := r.signIn("root")
	get := func(path string) string {
		return r.visit(http.MethodGet, strings.ReplaceAll(path, "&amp;", "&"), cookie, nil).Body.String()
	}
	next := regexp.MustCompile(`href="([^"]+)" rel="next"`)
	page := get("/console/activity?kind=decision")
	if n := len(entries(page)); n != 40 || !strings.Contains(page, "data-fresh") || strings.Contains(page, "looked at for this page") {
		t.Fatalf("the first page has %d rows:\n%.2000s", n, page)
	}
	last := entries(page)[39]
	page = get(next.FindStringSubmatch(page)[1])
	if rows := entries(page); len(rows) != 40 || rows[0] == last || strings.Contains(page, `id="log" data-fresh`) {
		t.Errorf("the second page: %d rows, the first is %s", len(rows), rows[0])
	}
	page = get("/console/activity?subject=rare") // further back than one page looks
	if len(entries(page)) != 0 || !strings.Contains(page, "20,000 records were looked at") {
		t.Fatalf("a page looked through the whole log, or does not say that it did not:\n%s", page)
	}
	page = get(next.FindStringSubmatch(page)[1])
	if len(entries(page)) != 1 || next.MatchString(page) {
		t.Errorf("the next page does not find it: %v", entries(page))
	}
}

func TestEverybodySeesOnlyTheirOwn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write(
		tv.Record{Kind: tv.RecordDecision, CallID: "theirs", Subject: "agent", User: "clerk", Tool: "orders/refund", Verdict: "deny", Detail: "private"},
		tv.Record{Kind: tv.RecordDecision, CallID: "hers", Subject: "agent", User: "vera", Tool: "orders/query", Verdict: "allow", Key: "k", Approval: "a1"},
		tv.Record{Kind: tv.RecordOutcome, CallID: "hers", Subject: "agent", User: "vera", Tool: "orders/query", Verdict: "allow", Key: "k"},
		tv.Record{Kind: tv.RecordDecision, CallID: "mixed", Subject: "agent", User: "clerk", Tool: "orders/secret", Verdict: "allow", Key: "k"},
		tv.Record{Kind: tv.RecordApproval, Subject: "ada", Approval: "a1", ApprovalState: tv.ApprovalApproved, Detail: "between approvers"},
	)
	cookie := r.signIn("vera")
	list := r.visit(http.MethodGet, "/console/activity", cookie, nil).Body.String()
	if !strings.Contains(list, "orders/query") || strings.Contains(list, "orders/refund") || strings.Contains(list, "f-subject") {
		t.Errorf("the list of somebody without the role:\n%s", list)
	}
	for _, query := range []string{"subject=clerk", "subject=agent", "q=private", "tool=orders/refund"} {
		if page := r.visit(http.MethodGet, "/console/activity?"+query, cookie, nil).Body.String(); len(entries(page)) > 0 {
			t.Errorf("%s shows what others did:\n%s", query, page)
		}
	}
	for path, status := range map[string]int{
		"hers": 200, "hers?at=1": 200, "hers/proof?at=1": 200, "theirs": 404, "theirs?at=0": 404, "hers?at=0": 404, "theirs/proof?at=0": 404, "record?at=4": 404,
		"hers?at=-1": 404, "hers?at=99": 404, "hers?at=x": 404, "nothing": 404,
	} {
		w := r.visit(http.MethodGet, "/console/activity/"+path, cookie, nil)
		if w.Code != status || strings.Contains(w.Body.String(), "orders/secret") || strings.Contains(w.Body.String(), "between approvers") {
			t.Errorf("%s: %d, want %d:\n%s", path, w.Code, status, w.Body)
		}
	}
	officer := r.page("/console/activity/hers", "root")
	if !strings.Contains(officer, "between approvers") {
		t.Errorf("an officer does not see the answer:\n%s", officer)
	}
	if w := r.visit(http.MethodGet, "/console/activity/hers", "", nil); w.Code != http.StatusSeeOther {
		t.Errorf("nobody: %d", w.Code)
	}
}

func TestAStoryIsOfOneCall(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.open("a gift")
	r.write(
		tv.Record{Kind: tv.RecordDecision, CallID: "asked", CallerID: "mine", Subject: "agent", User: "clerk", Tool: "refund", Verdict: "ask", Code: tv.ConfirmationRequired, Key: "k1", Approval: a.ID, Rule: "ask-refund", Rules: []tv.Match{{Rule: "ask-refund", Verdict: tv.Ask}, {Rule: "may-refund", Verdict: tv.Allow}, {Rule: "odd", Verdict: tv.Ask, Unknown: true}}, PolicyHash: "the-policy", PolicyVersion: "v7", Arguments: []byte(`{"amount":"9.50"}`), Effects: []tv.Effect{{Kind: tv.EffectSpend, Amount: "9.50", Currency: "EUR"}}},
		tv.Record{Kind: tv.RecordDecision, CallID: "other", CallerID: "asked", Subject: "agent", User: "clerk", Tool: "harmless", Verdict: "allow", Approval: "another"},
		tv.Record{Kind: tv.RecordDecision, CallID: "foreign", Subject: "mallory", Tool: "foreign", Verdict: "allow", Key: "k1"},
		tv.Record{Kind: tv.RecordApproval, Subject: "ada", Tool: "refund", Key: "k1", Approval: a.ID, ApprovalState: tv.ApprovalApproved, Detail: "a good customer"},
		tv.Record{Kind: tv.RecordDecision, CallID: "run", Subject: "agent", User: "clerk", Tool: "refund", Verdict: "allow", Key: "k1", Approval: a.ID, Grant: "grant1", PolicyHash: "old"},
		tv.Record{Kind: tv.RecordOutcome, CallID: "run", Subject: "agent", User: "clerk", Tool: "refund", Verdict: "allow", Key: "k1", Approval: a.ID, Claim: tv.ClaimUnknown, Code: tv.OutcomeUnknown},
		tv.Record{Kind: tv.RecordAdmin, CallID: "run", Subject: "root", Tool: "refund", Key: "k1", Claim: tv.ClaimSucceeded, Detail: "found booking 12"},
	)
	page := r.page("/console/activity/asked", "root")
	for _, want := range []string{"Spends", "9.50", "ask-refund", "may-refund", "because it must", "a value it needs is not known", "the-policy", "v7", "a good customer", "found booking 12", "/console/grants/grant1", "state succeeded", "toolverdict audit check", "audit.pub"} {
		if !strings.Contains(page, want) {
			t.Errorf("the story does not hold %q", want)
		}
	}
	for _, bad := range []string{"harmless", "foreign"} {
		if strings.Contains(page, bad) {
			t.Errorf("the story holds another call's %q", bad)
		}
	}
	if strings.Contains(page, "A check of the gate itself") {
		t.Error("a rule decided, and the page says that a check did")
	}
	if page := r.page("/console/activity/other", "root"); !strings.Contains(page, "A check of the gate itself") && !strings.Contains(page, "No rule matched") {
		t.Errorf("the page does not say that no rule decided:\n%s", page)
	}
	if page := r.page("/console/activity/run?at=5", "root"); !strings.Contains(page, "another one now") && strings.Contains(page, "because it must") {
		t.Errorf("reasons of another policy are shown:\n%s", page)
	}
	if page := r.page("/console/activity/asked?at=1", "fina"); !strings.Contains(page, `href="/console/approvals/`+a.ID+`"`) {
		t.Errorf("no link to the approval for whom it concerns:\n%s", page)
	}
	if card := r.page("/console/approvals/"+a.ID, "ada"); !strings.Contains(card, "refund") {
		t.Error("the card is not there")
	}
	answered := r.page("/console/activity/record?at=4", "root") // what a person said about it
	if !strings.Contains(answered, "<dt>Called by</dt><dd>agent</dd>") || strings.Contains(answered, "<dd>ada</dd>") {
		t.Error("who answered stands there as who called")
	}
	w := r.visit(http.MethodGet, "/console/activity/run/proof?at=6", r.signIn("root"), nil)
	v, err := r.store.Log(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if p, err := audit.CheckProof(v.Key(), w.Body.Bytes()); err != nil || p.CallID != "run" || p.Seq != 6 || !strings.Contains(w.Header().Get("Content-Disposition"), `"6.tlog-proof"`) {
		t.Errorf("%v: the proof is of %+v, %v", err, p, w.Header())
	}
}

func TestHostileRecordsAreEscaped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const hostile = `<script>x</script>"'><img src=x>` + "\u202e\u200b"
	args := []byte(`{"\u003cimg src=x>":"\u003cscript>x\u003c/script>\u202e"}`)
	r.write(
		tv.Record{Kind: tv.RecordDecision, CallID: hostile, CallerID: hostile, Trace: hostile, Session: hostile, Run: hostile, Subject: hostile, User: hostile + "u", Agent: hostile, Model: hostile, Door: hostile, Tool: hostile, ToolHash: hostile, Arguments: args, Verdict: "ask", Code: hostile, Rule: hostile, Rules: []tv.Match{{Rule: hostile, Verdict: tv.Deny}}, Observed: &tv.Observed{Verdict: tv.Deny, Rule: hostile}, PolicyVersion: hostile, PolicyHash: hostile, Approval: hostile, Grant: hostile, Key: hostile, Detail: hostile},
		tv.Record{Kind: tv.RecordApproval, Subject: hostile, Approval: hostile, ApprovalState: hostile, Key: hostile, Detail: hostile},
		tv.Record{Kind: tv.RecordAdmin, Subject: hostile, Detail: hostile},
	)
	cookie := r.signIn("root")
	list := r.visit(http.MethodGet, "/console/activity", cookie, nil).Body.String()
	paths := append(entries(list), "/console/activity", "/console/activity?q="+url.QueryEscape(hostile)+"&tool="+url.QueryEscape(hostile)+"&subject="+url.QueryEscape(hostile)+"&session="+url.QueryEscape(hostile)+"&run="+url.QueryEscape(hostile)+"&id="+url.QueryEscape(hostile), "/console/activity?since="+url.QueryEscape(hostile)+"&until="+url.QueryEscape(hostile), "/console/activity/"+url.PathEscape(hostile))
	if len(paths) < 8 {
		t.Fatalf("paths: %v", paths)
	}
	for _, path := range paths {
		body := r.visit(http.MethodGet, path, cookie, nil).Body.String()
		for _, bad := range []string{"<script>x", "<img"} {
			if strings.Contains(body, bad) {
				t.Errorf("%.60s holds %q", path, bad)
			}
		}
		shown := regexp.MustCompile(`(?s)<input[^>]*>`).ReplaceAllString(body, "") // what somebody wrote themselves
		if strings.ContainsAny(shown, "\u202e\u200b") {
			t.Errorf("%.60s turns text around: %q", path, shown[max(0, strings.IndexAny(shown, "\u202e\u200b")-120):][:160])
		}
		if found := inline.FindString(body); found != "" {
			t.Errorf("%.60s holds %q", path, found)
		}
	}
}

func TestARecordThatTheLogDoesNotBearOut(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write(tv.Record{Kind: tv.RecordDecision, CallID: "c", Subject: "agent", Verdict: "allow"})
	cookie := r.signIn("root")
	for says, prove := range map[string]func() ([]byte, error){
		"does not bear this record out":  func() ([]byte, error) { return nil, errors.New("damaged") },
		"No checkpoint covers this":      func() ([]byte, error) { return nil, nil },
		"does not bear this record out.": func() ([]byte, error) { return []byte("c2sp.org/tlog-proof@v1\n"), nil },
	} {
		r.prove = prove
		w := r.visit(http.MethodGet, "/console/activity/c?at=0", cookie, nil)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), says) || strings.Contains(w.Body.String(), "get-proof") {
			t.Errorf("%s: %d\n%s", says, w.Code, w.Body)
		}
		if w := r.visit(http.MethodGet, "/console/activity/c/proof?at=0", cookie, nil); w.Code == http.StatusOK && says != "does not bear this record out." {
			t.Errorf("%s: a proof is handed out: %s", says, w.Body)
		}
	}
}

func TestTheBannerOfAGateThatOnlyObserves(t *testing.T) {
	t.Parallel()
	for _, observe := range []bool{true, false} {
		r := newRig(t, func(r *rig) { r.observe = observe })
		a := r.open("x")
		cookie := r.signIn("root")
		for _, path := range []string{"/console/inbox", "/console/approvals/" + a.ID, "/console/activity", "/console/activity/c-0", "/console/grants", "/console/outcomes", "/console/nothing"} {
			body := r.visit(http.MethodGet, path, cookie, nil).Body.String()
			if strings.Contains(body, "This gate only observes.") != observe {
				t.Errorf("%s, observing %v: the banner is wrong", path, observe)
			}
		}
	}
}
