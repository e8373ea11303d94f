// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval/fatigue"
)

// told is what the overview is told besides the log.
type told struct {
	channels any
	answers  fatigue.Report
	unknown  []tv.Claim
	err      error
	finds    atomic.Int64
}

func (o *told) Channels(context.Context) (any, error)           { return o.channels, o.err }
func (o *told) Answers(context.Context) (fatigue.Report, error) { return o.answers, o.err }
func (o *told) Waiting(context.Context) (int, error)            { return 3, o.err }
func (o *told) Unknown(context.Context, tv.ClaimQuery) ([]tv.Claim, error) {
	return o.unknown, o.err
}

func bars(page, verdict string) int { return strings.Count(page, `<rect class="`+verdict+`"`) }

func TestTheOverviewCounts(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	r := newRig(t, func(r *rig) { r.now = func() time.Time { return at } })
	var records []tv.Record
	for i := range 100 { // 1 ms … 100 ms
		records = append(records, tv.Record{Kind: tv.RecordOutcome, At: at.Add(-time.Minute), CallID: fmt.Sprint(i), Tool: "slow/one", Took: time.Duration(i+1) * time.Millisecond})
	}
	records = append(records,
		tv.Record{Kind: tv.RecordOutcome, At: at.Add(-time.Minute), Tool: "quick/one", Took: time.Millisecond, Code: tv.ToolError},
		tv.Record{Kind: tv.RecordDecision, At: at.Add(-26 * time.Hour), Tool: "t", Verdict: "deny"}, // too long ago
		tv.Record{Kind: tv.RecordDecision, At: at.Add(-23 * time.Hour), Tool: "t", Verdict: "allow"},
		tv.Record{Kind: tv.RecordDecision, At: at.Add(-time.Hour), Tool: "t", Verdict: "ask"},
		tv.Record{Kind: tv.RecordDecision, At: at.Add(-time.Minute), Tool: "mail/send", Verdict: "deny", Code: tv.PolicyDenied, Rule: "no-mail"},
		tv.Record{Kind: tv.RecordDecision, At: at.Add(-time.Minute), Tool: "mail/send", Verdict: "deny", Code: tv.PolicyDenied, Rule: "no-mail"},
		tv.Record{Kind: tv.RecordDecision, At: at.Add(-time.Minute), Tool: "db/drop", Verdict: "deny", Code: tv.PermissionDenied},
	)
	r.write(records...)
	r.told.unknown = make([]tv.Claim, 2)
	page := r.page("/console/overview", "root")
	for _, want := range []string{
		"<strong>3</strong><span>wait for a person", "<strong>2</strong><span>unknown", "<strong>5</strong><span>decisions", "<strong>3</strong><span>denied",
		"1 allow, 1 ask, 3 deny", "<td>100</td><td>51.0 ms</td><td>95.0 ms</td>", "1 failed",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if bars(page, "allow") != 1 || bars(page, "ask") != 1 || bars(page, "deny") != 1 {
		t.Errorf("%d, %d and %d bars", bars(page, "allow"), bars(page, "ask"), bars(page, "deny"))
	}
	if mail, drop := strings.Index(page, "no-mail"), strings.Index(page, "db/drop"); mail < 0 || drop < mail {
		t.Errorf("the most denied is not first: %d, %d", mail, drop)
	}
	if strings.Contains(page, "class=\"flash warn\"") {
		t.Error("a page that counted everything says that it did not")
	}
	if hour := r.page("/console/overview?span=hour", "root"); !strings.Contains(hour, "0 allow, 1 ask, 3 deny") {
		t.Error("the last hour is not another page")
	}
	if week := r.page("/console/overview?span=week", "root"); !strings.Contains(week, "1 allow, 1 ask, 4 deny") {
		t.Error("the last week is not another page")
	}
}

// However many look, the log is counted once in a while.
func TestManyWhoLookShareACount(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	r := newRig(t, func(r *rig) { r.now = func() time.Time { return at } })
	cookie := r.signIn("root")
	look := func(path string) int64 {
		r.visit(http.MethodGet, path, cookie, nil)
		return r.told.finds.Load()
	}
	if first := look("/console/overview"); first == 0 || look("/console/overview") != first || look("/console/overview?span=day") != first {
		t.Errorf("%d looks at the log, then %d", first, r.told.finds.Load())
	}
	before := r.told.finds.Load()
	if look("/console/overview?span=week") == before {
		t.Error("another span shows the same count")
	}
	at = at.Add(6 * time.Second)
	if before = r.told.finds.Load(); look("/console/overview") == before {
		t.Error("an old count is shown")
	}
}

func TestAColumnIsAsHighAsItsBars(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	r := newRig(t, func(r *rig) { r.now = func() time.Time { return at } })
	for i := range 60 {
		r.write(tv.Record{Kind: tv.RecordDecision, At: at.Add(-time.Duration(i*i) * time.Second), Tool: "t", Verdict: []string{"allow", "ask", "deny"}[i%3]})
	}
	page := r.page("/console/overview?span=hour", "root")
	sums, floors := map[string]float64{}, map[string]float64{}
	for _, m := range regexp.MustCompile(`<rect class="\w+" x="(\d+)" y="([0-9.]+)" width="\d+" height="([0-9.]+)"/>`).FindAllStringSubmatch(page, -1) {
		var y, height float64
		if _, err := fmt.Sscan(m[2]+" "+m[3], &y, &height); err != nil || y < -0.05 || height <= 0 || y+height > 100.05 {
			t.Errorf("a bar outside of the chart: %v", m)
		}
		sums[m[1]] += height
		floors[m[1]] = y
	}
	highest := 0.0
	for x, sum := range sums {
		highest = max(highest, sum)
		if d := 100 - sum - floors[x]; d > 0.05 || d < -0.05 {
			t.Errorf("the column at %s is %.2f high and begins at %.2f", x, sum, floors[x])
		}
	}
	if len(sums) < 5 || highest < 99.95 || highest > 100.05 {
		t.Errorf("%d columns, the highest %.2f", len(sums), highest)
	}
}

func TestTheOverviewSaysWhereItStopped(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	r := newRig(t, func(r *rig) { r.now = func() time.Time { return at } })
	cookie := r.signIn("root")
	var records []tv.Record
	for range 10_050 {
		records = append(records, tv.Record{Kind: tv.RecordDecision, At: at.Add(-time.Minute), Tool: "t", Verdict: "allow"})
	}
	r.write(records...)
	page := r.visit(http.MethodGet, "/console/overview", cookie, nil).Body.String()
	if !strings.Contains(page, "Only the newest 10,000 records are counted") || !strings.Contains(page, "<strong>10,000</strong><span>decisions") {
		t.Errorf("it counted more than its bound, or does not say so:\n%.3000s", page)
	}
}

func TestOnlyOfficersSeeTheOverview(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.told.channels = []map[string]any{{"name": "finance-room", "kind": "slack", "error": "the platform said 502", "failing": 2, "queued": 3}}
	vera := r.signIn("vera")
	if w := r.visit(http.MethodGet, "/console/overview", vera, nil); w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), `href="/console/overview"`) {
		t.Errorf("somebody without the role: %d\n%s", w.Code, w.Body)
	}
	if page := r.page("/console/overview", "fina"); strings.Contains(page, "finance-room") || strings.Contains(page, `id="channels"`) {
		t.Error("an auditor sees the channels")
	}
	page := r.page("/console/overview", "root")
	for _, want := range []string{"finance-room", "the platform said 502", "2 of them failing", "3 cards to deliver", "state failing"} {
		if !strings.Contains(page, want) {
			t.Errorf("an administrator does not see %q", want)
		}
	}
	r.told.err = errors.New("broken")
	if w := r.visit(http.MethodGet, "/console/overview", r.signIn("root"), nil); w.Code != http.StatusServiceUnavailable {
		t.Errorf("what cannot be read is shown: %d", w.Code)
	}
}

func TestHostileFiguresAreEscaped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const hostile = `<script>x</script>"'><img src=x>` + "\u202e\u200b"
	r.told.channels = []map[string]any{{"name": hostile, "kind": hostile, "error": hostile, "decide": []string{hostile}}}
	r.told.answers = fatigue.Report{Rules: []fatigue.Rule{
		{Rule: "calm", Asked: 2, Approved: 1}, {Rule: hostile, Asked: 60, Approved: 60, Rate: 1, Noise: true, Median: 3 * time.Second, Hasty: 1},
	}, Capped: true, Seen: 62}
	r.write(
		tv.Record{Kind: tv.RecordDecision, Tool: hostile, Verdict: "deny", Code: hostile, Rule: hostile},
		tv.Record{Kind: tv.RecordDecision, Tool: "t", Verdict: "allow", Observed: &tv.Observed{Verdict: tv.Deny, Rule: hostile, Code: hostile}},
		tv.Record{Kind: tv.RecordOutcome, Tool: hostile, Took: time.Second},
	)
	page := r.page("/console/overview", "root")
	for _, bad := range []string{"<script>x", "<img", "\u202e", "\u200b"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if found := inline.FindString(page); found != "" {
		t.Errorf("the page holds %q", found)
	}
	if noise, calm := strings.Index(page, "nearly always approved<"), strings.Index(page, "<code>calm"); noise < 0 || calm < noise || !strings.Contains(page, "0 allow, 0 ask, 2 deny") {
		t.Errorf("noise is not first (%d, %d), or what was only observed is not counted", noise, calm)
	}
}
