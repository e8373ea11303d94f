// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package watchcmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/watchcmd"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func waiting(id, code string, risk tv.Risk, summary string) client.Approval {
	return client.Approval{
		ID: id, Code: code, State: tv.ApprovalPending, Created: noon, Expires: noon.Add(90 * time.Second),
		Card: tv.Card{Tool: "shop/pay", Summary: summary, Risk: risk, Requester: "agent"},
	}
}

// TestNothingHostileIsDrawn shows text that would clear the screen, colour it,
// name the window, turn the line around, and begin a line of its own.
func TestNothingHostileIsDrawn(t *testing.T) {
	t.Parallel()
	const hostile = "\x1b[2J\x1b]0;x\a\u009b31m\r\n\u202eFORGED\tlow"
	v := waiting(hostile, hostile, tv.Risk(hostile), hostile+strings.Repeat("w", 5000))
	v.Card.Tool, v.Card.Requester, v.Card.Agent = hostile, hostile, hostile
	ours := regexp.MustCompile(`\x1b(7|8|\[2J|\[J|\[K|\[\?7[lh]|\[\d+;1H|\[1;31m|\[0m)`)
	for _, name := range []string{"rows", "screen"} {
		var b bytes.Buffer
		watchcmd.Views(&b, true)[name](noon, []client.Approval{v}, hostile)
		if name == "rows" && strings.Contains(b.String(), "\x1b") {
			t.Errorf("rows draws: %q", b.String())
		}
		if n := strings.Count(b.String(), "\x1b[2J"); name == "screen" && n != 1 {
			t.Errorf("the screen is cleared %d times, want once", n)
		}
		text := ours.ReplaceAllString(b.String(), "")
		if strings.ContainsAny(text, "\x1b\a\r\t\u009b\u202e") || strings.Contains(text, "\nFORGED") || strings.Contains(text, strings.Repeat("w", 200)) {
			t.Errorf("%s: %q", name, text)
		}
		if !strings.Contains(text, "FORGED") {
			t.Errorf("%s shows nothing of what was written: %q", name, text)
		}
	}
}

// TestColourMarksHighRisk holds the screen to colour where it is wanted only.
func TestColourMarksHighRisk(t *testing.T) {
	t.Parallel()
	all := []client.Approval{waiting("1", "AAAAAAAA", tv.LowRisk, "small"), waiting("2", "BBBBBBBB", tv.HighRisk, "large")}
	for _, colour := range []bool{true, false} {
		var b bytes.Buffer
		watchcmd.Views(&b, colour)["screen"](noon, all, "")
		if got := strings.Contains(b.String(), "\x1b[1;31mBBBBBBBB"); got != colour {
			t.Errorf("colour %v: high risk is marked: %v", colour, got)
		}
		if strings.Contains(b.String(), "\x1b[1;31mAAAAAAAA") {
			t.Error("low risk is marked")
		}
		if !strings.Contains(b.String(), "2 calls wait for you") || !strings.Contains(b.String(), "1m30s") {
			t.Errorf("count or time is missing: %q", b.String())
		}
	}
}

// gate plays the API with these approvals and keeps what it was asked to do.
type gate struct {
	all   []client.Approval
	asked []string
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/approvals" {
		_ = json.NewEncoder(w).Encode(map[string]any{"approvals": g.all})
		return
	}
	id, verb, voted := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/approvals/"), "/")
	for i := range g.all {
		if g.all[i].ID != id {
			continue
		}
		v := g.all[i]
		if voted {
			body, _ := io.ReadAll(r.Body)
			g.asked = append(g.asked, verb+" "+id+" "+string(body))
			v.State = map[string]tv.ApprovalState{"approve": tv.ApprovalApproved, "reject": tv.ApprovalRejected}[verb]
		}
		_ = json.NewEncoder(w).Encode(v)
		return
	}
	w.WriteHeader(http.StatusNotFound)
}

// typed runs the command with what somebody types, and returns what it printed.
func (g *gate) typed(t *testing.T, lines ...string) string {
	t.Helper()
	srv := httptest.NewServer(g)
	t.Cleanup(srv.Close)
	var out bytes.Buffer
	app := &cli.App{World: cli.World{
		Stdin: strings.NewReader(strings.Join(append(lines, "quit", ""), "\n")), Stdout: &out, Stderr: &out,
		Getenv: func(string) (string, bool) { return "", false }, Now: func() time.Time { return noon },
	}}
	c := watchcmd.Command(app, watchcmd.Gate{
		Client: func() (*client.Client, error) { return client.New(srv.URL, "key") },
		Flags:  func(c *cobra.Command, _ string) *cobra.Command { app.OutputFlag(c); return c },
		Card:   func(v *client.Approval) error { _, err := io.WriteString(&out, "CARD "+v.ID+"\n"); return err },
	})
	c.SetArgs([]string{"--every", "1h"})
	if err := c.ExecuteContext(context.Background()); err != nil {
		t.Fatalf("watch: %v", err)
	}
	return out.String()
}

// TestWhatIsApproved types answers: nothing is approved that was not shown, and
// what is of high or unknown risk not without a reason and its code.
func TestWhatIsApproved(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		risk  tv.Risk
		lines []string
		want  string // what the gate was asked for, "" for nothing
	}{
		{"low, shown and agreed to", tv.LowRisk, []string{"approve aaaaaaaa", "yes"}, `approve 1 {"reason":""}`},
		{"low, shown before", tv.LowRisk, []string{"show AAAAAAAA", "approve AAAAAAAA fine"}, `approve 1 {"reason":"fine"}`},
		{"low, thought better of", tv.MediumRisk, []string{"approve AAAAAAAA", "no"}, ""},
		{"low, by its id", tv.LowRisk, []string{"approve 1", "y"}, `approve 1 {"reason":""}`},
		{"high", tv.HighRisk, []string{"approve AAAAAAAA", "it is due", "aaaaaaaa"}, `approve 1 {"reason":"it is due"}`},
		{"high, without a reason", tv.HighRisk, []string{"approve AAAAAAAA", "", "AAAAAAAA"}, ""},
		{"high, agreed to only", tv.HighRisk, []string{"show AAAAAAAA", "approve AAAAAAAA due", "yes"}, ""},
		{"high, another's code", tv.HighRisk, []string{"approve AAAAAAAA due", "BBBBBBBB"}, ""},
		{"unknown risk", "odd", []string{"approve AAAAAAAA due", "yes"}, ""},
		{"low, not answered", tv.LowRisk, []string{"approve AAAAAAAA", ""}, ""},
		{"a code of two", tv.LowRisk, []string{"reject CCCCCCCC no"}, ""},
		{"no code", tv.LowRisk, []string{"approve", "yes"}, ""},
		{"rejected", tv.HighRisk, []string{"reject AAAAAAAA not today"}, `reject 1 {"reason":"not today"}`},
		{"rejected without a reason", tv.HighRisk, []string{"reject AAAAAAAA", ""}, ""},
		{"rejected with the reason asked for", tv.HighRisk, []string{"r AAAAAAAA", "no"}, `reject 1 {"reason":"no"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := &gate{all: []client.Approval{
				waiting("1", "AAAAAAAA", tc.risk, "pay"), waiting("3", "CCCCCCCC", tv.LowRisk, "one"), waiting("4", "CCCCCCCC", tv.LowRisk, "other"),
			}}
			printed := g.typed(t, tc.lines...)
			if got := strings.Join(g.asked, "; "); got != tc.want {
				t.Errorf("the gate was asked for %q, want %q; printed:\n%s", got, tc.want, printed)
			}
			if strings.HasPrefix(tc.want, "approve") && !strings.Contains(printed, "CARD 1\n") {
				t.Errorf("approved without its card:\n%s", printed)
			}
		})
	}
}
