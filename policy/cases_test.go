// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
)

// sharedCases are attacks and benign look-alikes that are kept beside a
// checkout, where they are present.
const sharedCases = "../../shared/cases/shared.jsonl"

type sharedCase struct {
	ID     string `json:"id"`
	Intent string `json:"intent_id"`
	Expect string `json:"expect"`
	Call   struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	} `json:"call"`
	Context struct {
		Env     map[string]string   `json:"env"`
		Subject toolverdict.Subject `json:"subject"`
		Run     toolverdict.Run     `json:"run"`
		Session string              `json:"session"`
		Now     time.Time           `json:"now"`
		History []struct {
			Tool, Session string
			At            time.Time
		} `json:"history"`
	} `json:"context"`
}

// setting is one intent: a policy and the tools it speaks of.
type setting struct {
	set   *policy.Set
	tools catalog
}

func newSetting(t *testing.T, file string, tools catalog) setting {
	t.Helper()
	text, err := os.ReadFile("testdata/cases/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return setting{compile(t, string(text), tools), tools}
}

// decide does what the gate does around the policy: find the tool, refuse what
// its schema refuses, read the counters.
func (s setting) decide(c *sharedCase) string {
	tl, known := s.tools.Tool(c.Call.Tool)
	if !known && !strings.Contains(c.Call.Tool, "/") {
		tl, known = s.tools.Tool("x/" + c.Call.Tool)
	}
	v, err := canon.ParseArguments(c.Call.Args, canon.Limits{})
	if !known || err != nil || len(tl.Schema().Validate(v)) > 0 || c.Context.Run.ReadOnly && tl.Safety() != toolverdict.ReadOnly {
		return "block"
	}
	r := toolverdict.Request{
		Tool: tl, Arguments: v, Subject: c.Context.Subject, Session: c.Context.Session,
		Run: c.Context.Run, Environment: c.Context.Env, At: c.Context.Now,
	}
	if c.Context.History != nil {
		r.Past = s.set.Remember(r, s.before(c))
	}
	d := s.set.Decide(r)
	for _, l := range d.Limits {
		u := toolverdict.Usage{Key: l.Key}
		for _, h := range c.Context.History {
			if strings.HasSuffix(tl.Name(), h.Tool) && h.Session == r.Session && h.At.After(r.At.Add(-l.Per)) {
				u.Count++
			}
		}
		r.Usage = append(r.Usage, u)
	}
	return map[toolverdict.Verdict]string{toolverdict.Allow: "allow", toolverdict.Ask: "approve", toolverdict.Deny: "block"}[s.set.Decide(r).Verdict]
}

// before is the history of a case, of the same caller.
func (s setting) before(c *sharedCase) []policy.Past {
	var out []policy.Past
	for _, h := range c.Context.History {
		tl, _ := s.tools.Tool("x/" + h.Tool)
		out = append(out, policy.Past{Request: toolverdict.Request{Tool: tl, Session: h.Session, Subject: c.Context.Subject, At: h.At}, State: toolverdict.PastSucceeded})
	}
	return out
}

func reads(t *testing.T, name string, groups ...string) *toolverdict.Tool {
	t.Helper()
	return define(t, toolverdict.Definition{Name: name, Server: "x", Safety: toolverdict.ReadOnly, Risk: toolverdict.LowRisk, Groups: groups})
}

// TestSharedCases measures the kinds of case that need no effects. What this version must leave to those is counted, never let through.
func TestSharedCases(t *testing.T) {
	t.Parallel()
	const refund = `{"type":"object","additionalProperties":false,"required":["order_id","amount","currency"],"properties":{"order_id":{"type":"string","pattern":"^[A-Z][0-9]+$"},
		"amount":{"type":"number","exclusiveMinimum":0,"maximum":100000},"currency":{"enum":["USD","EUR","CNY"]},"confirm":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string"}},"note":{"type":"string","maxLength":200}}}`
	settings := map[string]setting{
		"refund": newSetting(t, "refund.yaml", catalog{tool(t, "shop/refund", refund)}),
		"names": newSetting(t, "names.yaml", catalog{
			reads(t, "crm/read_file"), reads(t, "orders/list_open"), reads(t, "orders/refund"), reads(t, "x/delete_user"), reads(t, "x/read_file"), reads(t, "x/查询订单"),
		}),
		"ctx": newSetting(t, "context.yaml", catalog{
			reads(t, "x/query_order"), reads(t, "x/read_page"),
			tool(t, "x/cancel_order", "true", "changing"), tool(t, "x/refund", "true", "changing"), tool(t, "x/send_email", "true", "changing"), tool(t, "x/execute_shell", "true"),
		}),
		"corp": newSetting(t, "mail.yaml", catalog{tool(t, "x/send_email", `{"type":"object","required":["to","subject"],"properties":{"to":{"type":"array","items":{"type":"string"}},"subject":{"type":"string"},
			"cc":{"type":"array","items":{"type":"string"}},"bcc":{"type":"array","items":{"type":"string"}}}}`)}),
	}
	f, err := os.Open(sharedCases)
	if err != nil {
		t.Logf("the shared cases are not here: %v", err)
		return
	}
	defer f.Close()
	stricter, count := 0, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c sharedCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		s, ok := settings[c.Intent]
		if !ok || beyond(&c) {
			continue
		}
		if c.Intent == "refund" {
			c.Call.Tool = "shop/refund"
		}
		count++
		switch got := s.decide(&c); {
		case got == c.Expect:
		case c.Intent == "corp" && got == "block":
			stricter++ // display names: unknown here, read by the analyser of addresses later
			t.Logf("%s is refused, not allowed", c.ID)
		default:
			t.Errorf("%s: %s, want %s: %s", c.ID, got, c.Expect, lines.Text())
		}
	}
	if count < 50 || stricter > 3 {
		t.Errorf("%d cases, %d of them refused although benign", count, stricter)
	}
	t.Logf("%d cases, %d of them refused although benign", count, stricter)
}

// beyond reports whether a case is another part's: a front door's spelling of a
// name.
func beyond(c *sharedCase) bool { return strings.HasPrefix(c.Call.Tool, "mcp__") }
