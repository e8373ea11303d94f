// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package url_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/netip"
	"os"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/url"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// sharedCase is one line of the cases that are kept beside a checkout.
type sharedCase struct {
	ID, Kind, Expect, Why string
	IntentID              string `json:"intent_id"`
	Call                  struct{ Args struct{ URL string } }
	Context               struct {
		DNS       map[string]json.RawMessage
		Redirects []string
	}
}

// public resolves as the cases say, and everything else to a public address.
type public map[string]json.RawMessage

func (p public) Resolve(_ context.Context, name string) ([]netip.Addr, error) {
	raw, ok := p[name]
	if !ok {
		return []netip.Addr{netip.AddrFrom4([4]byte{8, 8, 8, 8})}, nil
	}
	var texts []string
	if err := json.Unmarshal(raw, &texts); err != nil {
		var one string
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, err
		}
		texts = []string{one}
	}
	var ips []netip.Addr
	for _, text := range texts {
		ip, err := netip.ParseAddr(text)
		if err != nil {
			return nil, err
		}
		ips = append(ips, ip)
	}
	return ips, nil
}

// allowed is what a user would write as a policy: every effect has to match.
var allowed = map[string]func(tv.Effect) bool{
	"pub": func(e tv.Effect) bool {
		return e.Kind == tv.EffectConnect && e.Network == url.Public && (e.Scheme == "http" || e.Scheme == "https")
	},
	"host": func(e tv.Effect) bool {
		return e.Kind == tv.EffectConnect && e.Scheme == "https" && e.Port == 443 &&
			(e.Host == "example.com" || strings.HasSuffix(e.Host, ".example.com"))
	},
}

// TestSharedCases judges the cases by effects, where they are there to be read.
func TestSharedCases(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../../shared/cases/shared.jsonl")
	if err != nil {
		t.Log("no cases beside this checkout")
		return
	}
	defer f.Close()
	judged, lines := 0, bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c sharedCase
		var kind struct{ Kind string }
		if err := json.Unmarshal(lines.Bytes(), &kind); err != nil {
			t.Fatal(err)
		}
		if kind.Kind != "url" {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		judged++
		want, allow := c.Expect == "allow", true
		var seen []tv.Effect
		for _, text := range append([]string{c.Call.Args.URL}, c.Context.Redirects...) {
			effects, _ := url.AnalyseResolved(t.Context(), canon.String(text), url.Options{}, public(c.Context.DNS))
			for _, e := range effects {
				allow = allow && allowed[c.IntentID](e)
			}
			seen = append(seen, effects...)
		}
		if allow != want {
			t.Errorf("%s (%s) is to be %s: %s", c.ID, c.Why, c.Expect, show(seen))
		}
	}
	if err := lines.Err(); err != nil || judged == 0 {
		t.Errorf("%d cases judged, %v", judged, err)
	}
	t.Logf("%d cases judged", judged)
}
