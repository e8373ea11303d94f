// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package url_test

import (
	"net/netip"
	neturl "net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/idna"
	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/url"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// some makes URLs of what filters stumble over.
func some(r *rapid.T) string {
	piece := func(of ...string) string { return rapid.SampledFrom(of).Draw(r, "piece") }
	text := piece("http:", "https:", "HTTPS:", "ws:", "ftp:", "redis:", "file:", "data:", "") +
		piece("//", "//", "//", "/", "///", `\\`, "") +
		piece("", "", "u:p@", "a@b@", "%40@", "10.1.2.3@", `\@`) +
		piece("shop.example", "SHOP.example.", "10.1.2.3", "0x7f.1", "[::1]", "[::ffff:9.9.9.9]", "[fe80::1%25e]", "müller.example", "１０.1.2.3", "a..b", "a,b", "%61", "localhost", "1.2.3.4.5", "") +
		piece("", "", ":80", ":0", ":", ":99999", ":x") +
		piece("", "/", "/a/../b", "?q#f", `\x`, "/@10.1.2.3", "#@x", " ", "\n")
	if rapid.Bool().Draw(r, "noise") {
		at := rapid.IntRange(0, len(text)).Draw(r, "at")
		text = text[:at] + rapid.String().Draw(r, "noise text") + text[at:]
	}
	return text
}

func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) { check(r, some(r)) })
}

type tester interface {
	Errorf(format string, args ...any)
}

// check holds for every text whatever.
func check(t tester, text string) {
	effects := url.Analyse(text, url.Options{Source: "/u"})
	if len(effects) == 0 {
		t.Errorf("%q has no effect", text)
	}
	if again := url.Analyse(text, url.Options{Source: "/u"}); !cmp.Equal(effects, again) {
		t.Errorf("%q is not read the same way twice", text)
	}
	sure := true
	for _, e := range effects {
		switch e.Kind {
		case tv.EffectConnect:
			checkConnect(t, text, e)
		case tv.EffectRead:
			if e.Path != "" && e.Path[0] != '/' {
				t.Errorf("%q reads %q", text, e.Path)
			}
		case tv.EffectOpaque:
			sure = false
			if e.Detail == "" {
				t.Errorf("%q is opaque without a reason", text)
			}
		default:
			t.Errorf("%q has an effect of kind %s", text, e.Kind)
		}
	}
	if sure && effects[0].Kind == tv.EffectConnect {
		checkGo(t, text, effects[0])
	}
}

// checkConnect keeps hosts canonical: read again, they are themselves.
func checkConnect(t tester, text string, e tv.Effect) {
	if e.Host == "" || strings.ToLower(e.Host) != e.Host || e.Port < 0 || e.Port > 65535 || e.Scheme == "" {
		t.Errorf("%q connects to %+v", text, e)
	}
	for i := range len(e.Host) {
		if e.Host[i] >= 0x80 || e.Host[i] <= ' ' {
			t.Errorf("%q connects to a host that is not in ASCII: %q", text, e.Host)
			return
		}
	}
	if e.IP == "" {
		return
	}
	ip, err := netip.ParseAddr(e.IP)
	if err != nil || ip.String() != e.IP || ip.Is4In6() || ip.Zone() != "" || e.Network != url.Network(ip) {
		t.Errorf("%q connects to %+v", text, e)
	}
}

// checkGo compares with the parser of Go's own client, which follows another
// standard: where nothing is opaque, it must see the same host or refuse.
func checkGo(t tester, text string, e tv.Effect) {
	u, err := neturl.Parse(text)
	if err != nil || u.Host == "" {
		return
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.Unmap().String()
	} else if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	port := u.Port()
	if !strings.EqualFold(host, e.Host) || u.Scheme != e.Scheme || port != "" && port != itoa(e.Port) {
		t.Errorf("%q: Go reads %s %s %s, we read %+v", text, u.Scheme, host, port, e)
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// TestNetworkIsTotal keeps every address in one network, and an address that
// stands for an inner one from looking more public than that.
func TestNetworkIsTotal(t *testing.T) {
	t.Parallel()
	known := map[string]bool{url.Public: true, url.Private: true, url.Loopback: true, url.LinkLocal: true, url.Metadata: true, url.Reserved: true}
	rapid.Check(t, func(r *rapid.T) {
		four := [4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(r, "four"))
		inner := netip.AddrFrom4(four)
		six := netip.AddrFrom16([16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(r, "six")))
		for _, ip := range []netip.Addr{inner, six} {
			n := url.Network(ip)
			if !known[n] {
				t.Errorf("%v is in network %q", ip, n)
			}
			if n == url.Public && (ip.IsPrivate() || ip.IsLoopback() || ip.IsMulticast() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || !ip.IsGlobalUnicast()) {
				t.Errorf("%v is public", ip)
			}
		}
		for _, at := range []string{"::ffff:0:0", "::", "64:ff9b::", "::ffff:0:0:0", "64:ff9b:1::", "2620:fe::5efe:0:0"} {
			b := netip.MustParseAddr(at).As16()
			copy(b[12:], four[:])
			outer := netip.AddrFrom16(b)
			if url.Network(outer) == url.Public && url.Network(inner) != url.Public {
				t.Errorf("%v is public, and %v is %s", outer, inner, url.Network(inner))
			}
		}
	})
	if got := url.Network(netip.Addr{}); got != url.Reserved {
		t.Errorf("no address is %s", got)
	}
}

// hostile are long texts that cost a careless parser the square of their length.
func hostile() map[string]string {
	long := func(head, part string) string { return head + strings.Repeat(part, (1<<20-len(head))/len(part)) }
	return map[string]string{
		"letters": long("https://", "a"), "dots": long("https://", "."), "labels": long("https://", "a."), "numbers": long("https://", "1."),
		"ats": long("https://", "@"), "slashes": long("https:", "/"), "percent": long("https://", "%61"), "unicode": long("https://", "ü"),
		"marks": long("https://a", "\u0301"), "punycode": long("https://xn--", "a"), "brackets": long("https://[", ":"), "colons": long("https://", ":"),
		"path": long("https://shop.example/", "../"), "tabs": long("https://", "\t"), "file": long("file:///", "../"), "digits": long("https://", "9"),
		"scheme": long("h", "h"), "percent path": long("file:///", "%2e"), "blanks": long("", " "), "invalid": long("https://", "\xff"),
	}
}

// TestHostile bounds what a hostile text may cost in memory; BenchmarkHostile
// tells the time.
func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		check(t, text)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%s: %d MiB were used", name, used>>20)
		}
	}
}

// hostileList is an argument of many URLs that each cost as much as one can.
func hostileList() canon.Value {
	host := strings.TrimSuffix(strings.Repeat(strings.Repeat("漢", 60)+".", 4), ".")
	var list []canon.Value
	for range url.MaxValues {
		list = append(list, canon.String("https://"+host+"/ß"))
	}
	return canon.Array(list...)
}

func FuzzAnalyse(f *testing.F) {
	for _, seed := range []string{
		"https://shop.example/", "http://0x7f.1/", "http://[::ffff:10.1.2.3]:80/", `http:\\10.1.2.3\@x`, "https://u:p@müller.example:8443/?q#f",
		"http://１２７。0.0.1/", "file:///srv/app/%2e%2e/x", "http://xn--a/", "http://a%00b/", " \thttp://x ", "redis://10.1.2.3", "http://1.2.3.4.5", "//x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, text)
		url.Analyse(text, url.Options{Base: "https://base.example/dir/"})
		url.Analyse("x", url.Options{Base: text})
	})
}

func BenchmarkAnalyse(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"name", "https://docs.shop.example:8443/a/b/c?x=1&y=2#frag"}, {"ipv4", "http://169.254.169.254/latest/meta-data/"},
		{"ipv6", "https://[2620:fe::fe]/dns-query"}, {"international", "https://müller.example/straße"}, {"doubtful", "http://0x7f.1/"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				url.Analyse(c.text, url.Options{Source: "/url"})
			}
		})
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				url.Analyse(text, url.Options{})
			}
		})
	}
	list := hostileList()
	b.Run("list", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			url.AnalyseValue(list, url.Options{})
		}
	})
}
