// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package url_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/url"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// zone is a fake name server. What is not in it does not exist.
type zone map[string]string

func (z zone) Resolve(ctx context.Context, name string) ([]netip.Addr, error) {
	switch z[name] {
	case "":
		return nil, errors.New("no such name")
	case "hangs":
		<-ctx.Done()
		return nil, ctx.Err()
	case "deaf": // does not listen to its context
		time.Sleep(time.Hour)
	case "panics":
		panic("resolver")
	case "nothing":
		return nil, nil
	case "invalid":
		return []netip.Addr{{}}, nil
	case "many":
		var ips []netip.Addr
		for i := range url.MaxAddrs + 1 {
			ips = append(ips, netip.AddrFrom4([4]byte{9, 9, 9, byte(i)}))
		}
		return ips, nil
	}
	var ips []netip.Addr
	for text := range strings.FieldsSeq(z[name]) {
		ips = append(ips, netip.MustParseAddr(text))
	}
	return ips, nil
}

func TestResolved(t *testing.T) {
	t.Parallel()
	names := zone{
		"shop.example":  "9.9.9.10 9.9.9.9 9.9.9.9 2620:fe::fe",
		"mixed.example": "9.9.9.9 10.1.2.3", "rebind.example": "169.254.169.254", "mapped.example": "::ffff:10.1.2.3",
		"six.example": "64:ff9b::10.1.2.3", "zoned.example": "fe80::1%eth0", "nothing.example": "nothing",
		"invalid.example": "invalid", "panics.example": "panics", "printer": "9.9.9.9", "xn--mller-kva.example": "9.9.9.9",
	}
	for text, want := range map[string]string{
		"https://shop.example/":    "https shop.example 9.9.9.9 443 public; https shop.example 9.9.9.10 443 public; https shop.example 2620:fe::fe 443 public",
		"https://SHOP.example./":   "https shop.example 9.9.9.9 443 public; https shop.example 9.9.9.10 443 public; https shop.example 2620:fe::fe 443 public",
		"https://müller.example/":  "https xn--mller-kva.example 9.9.9.9 443 public",
		"https://mixed.example/":   "https mixed.example 9.9.9.9 443 public; https mixed.example 10.1.2.3 443 private",
		"https://rebind.example/":  "https rebind.example 169.254.169.254 443 metadata",
		"https://mapped.example/":  "https mapped.example 10.1.2.3 443 private",
		"https://six.example/":     "https six.example 64:ff9b::a01:203 443 private; https six.example 10.1.2.3 443 private",
		"https://zoned.example/":   "https zoned.example fe80::1 443 link-local",
		"https://printer/":         "https printer 9.9.9.9 443 public; https printer - 443 private",
		"https://absent.example/":  "https absent.example - 443 -",
		"https://nothing.example/": "https nothing.example - 443 -",
		"https://invalid.example/": "https invalid.example - 443 -",
		"https://panics.example/":  "https panics.example - 443 -",
		"https://9.9.9.9/":         "https 9.9.9.9 9.9.9.9 443 public",
		"https://shop,example/":    "https shop,example - 443 private; opaque",
	} {
		effects, answers := url.AnalyseResolved(t.Context(), canon.String(text), url.Options{}, names)
		if diff := cmp.Diff(want, show(effects)); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
		for _, e := range effects {
			if a := answers[e.Host]; e.IP == "" && e.Host != "printer" && e.Kind == tv.EffectConnect && (a.Problem == "" || e.Detail != a.Problem) {
				t.Errorf("%s: no problem is told: %+v, %+v", text, e, a)
			}
		}
		if again := url.AnalyseValue(canon.String(text), url.Options{Answers: answers}); !cmp.Equal(again, effects) {
			t.Errorf("%s: the answers give other effects: %s", text, show(again))
		}
	}
}

// TestTooMany keeps what was not looked at from looking harmless.
func TestTooMany(t *testing.T) {
	t.Parallel()
	effects, answers := url.AnalyseResolved(t.Context(), canon.String("https://many.example/"), url.Options{}, zone{"many.example": "many"})
	if last := effects[len(effects)-1]; len(effects) != url.MaxAddrs+1 || last.Network != "" || last.IP != "" || answers["many.example"].Problem == "" {
		t.Errorf("%d effects, the last %+v", len(effects), last)
	}
	list := []canon.Value{}
	names := zone{}
	for i := range url.MaxNames + 3 {
		name := fmt.Sprintf("h%d.example", i)
		names[name] = "9.9.9.9"
		list = append(list, canon.String("https://"+name))
	}
	effects, answers = url.AnalyseResolved(t.Context(), canon.Array(list...), url.Options{}, names)
	unknown := 0
	for _, e := range effects {
		if e.Network == "" {
			unknown++
		}
	}
	if unknown != 3 || len(answers) != url.MaxNames {
		t.Errorf("%d of %d connections are unknown, with %d answers", unknown, len(effects), len(answers))
	}
}

// TestPatience waits no longer than it says, for a resolver that hangs and for
// one that does not even listen.
func TestPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		answers := url.Resolve(t.Context(), zone{"a.example": "hangs", "b.example": "deaf", "c.example": "9.9.9.9"}, []string{"a.example", "b.example", "c.example"})
		if took := time.Since(start); took != url.Patience {
			t.Errorf("took %v", took)
		}
		if answers["a.example"].Problem == "" || answers["b.example"].Problem == "" || len(answers["c.example"].Addrs) != 1 {
			t.Errorf("got %+v", answers)
		}
		time.Sleep(2 * time.Hour) // let the deaf one end
	})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := url.Resolve(ended, zone{"a.example": "hangs"}, []string{"a.example"}); got["a.example"].Problem == "" {
		t.Errorf("an ended context gives %+v", got)
	}
}

func TestSystemResolver(t *testing.T) {
	t.Parallel()
	answers := url.Resolve(t.Context(), &url.System{}, []string{"localhost"})
	for _, ip := range answers["localhost"].Addrs {
		if url.Network(ip) != url.Loopback {
			t.Errorf("localhost is %v", ip)
		}
	}
	if len(answers["localhost"].Addrs) == 0 {
		t.Errorf("localhost has no address: %+v", answers)
	}
}
