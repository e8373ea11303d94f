// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package email_test

import (
	"fmt"
	"net/mail"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/idna"
	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/email"
	"github.com/toolverdict/toolverdict/internal/canon"
)

type tester interface {
	Errorf(format string, args ...any)
}

// check holds for every text whatever.
func check(t tester, text string) {
	effects := email.Analyse(text, email.Options{Source: "/to", Field: "to"})
	if again := email.Analyse(text, email.Options{Source: "/to", Field: "to"}); !cmp.Equal(effects, again) {
		t.Errorf("%q is not read the same way twice", text)
	}
	if len(effects) == 0 {
		t.Errorf("%q has no effect", text)
	}
	sure := true
	var found []string
	for _, e := range effects {
		switch e.Kind {
		case tv.EffectOpaque:
			sure = false
			if e.Detail == "" {
				t.Errorf("%q is opaque without a reason", text)
			}
		case tv.EffectSend:
			found = append(found, e.Recipient)
			if !strings.HasSuffix(e.Recipient, "@"+e.Domain) || strings.ToLower(e.Domain) != e.Domain || e.Domain == "" || strings.ContainsFunc(e.Domain, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
				t.Errorf("%q sends to %+v", text, e)
			}
		default:
			t.Errorf("%q has an effect of kind %s", text, e.Kind)
		}
		if e.Source != "/to" {
			t.Errorf("%q has an effect without a source: %+v", text, e)
		}
	}
	if !sure {
		return
	}
	for _, recipient := range found {
		if got := show(email.Analyse(recipient, email.Options{Single: true})); got != recipient {
			t.Errorf("%q sends to %q, which is read as %s", text, recipient, got)
		}
	}
	checkGo(t, text, found)
}

// checkGo compares with Go's own parser: where nothing is opaque, it finds the
// same recipients in the same order.
func checkGo(t tester, text string, found []string) {
	list, err := mail.ParseAddressList(text)
	if err != nil {
		t.Errorf("%q: Go refuses it (%v), we find %v", text, err, found)
		return
	}
	got := make([]string, len(list))
	for i, a := range list {
		at := strings.LastIndexByte(a.Address, '@')
		domain, err := idna.Lookup.ToASCII(a.Address[at+1:])
		if err != nil {
			t.Errorf("%q: Go finds the domain of %q", text, a.Address)
			return
		}
		got[i] = strings.ToLower(a.Address[:at]) + "@" + domain
	}
	if !slices.Equal(got, found) {
		t.Errorf("%q: Go finds %v, we find %v", text, got, found)
	}
}

func some(r *rapid.T) string {
	part := rapid.SampledFrom([]string{
		"a@x.example", "b@evil.example", "Ana", `"Li, Ana"`, `"b@evil.example"`, "<a@x.example>", "<", ">", "(", ")", `"`, `\`, ",", ",", ";", ":", " ", " ", "@", ".", "é", "a@müller.example",
		"=?utf-8?q?x?=", "%", "!", "Team:", "a@[1.2.3.4]", "xn--", "\u200b", "\r\n", "'", "+tag", "<@r.example:a@x.example>", "-",
	})
	return strings.Join(rapid.SliceOfN(part, 1, 8).Draw(r, "parts"), "")
}

func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := some(r)
		check(r, text)
		// Another recipient in the list is never lost, and takes none away.
		before := email.Analyse(text, email.Options{})
		if before[len(before)-1].Kind == tv.EffectOpaque {
			return
		}
		after := email.Analyse(text+", c@other.example", email.Options{})
		if want := show(before) + " c@other.example"; show(after) != want {
			r.Errorf("%q and one more are %s, want %s", text, show(after), want)
		}
	})
}

// TestHeaderLaw keeps every text that a mail library would break a line at out.
func TestHeaderLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.String().Draw(r, "text")
		end := rapid.SampledFrom([]string{"\r", "\n", "\r\n", "\u2028", "\u0085", "\x00", "\x0b"}).Draw(r, "end")
		at := rapid.IntRange(0, len(text)).Draw(r, "at")
		if got := email.AnalyseHeader(text[:at]+end+text[at:], email.Options{}); len(got) != 1 || got[0].Kind != tv.EffectOpaque {
			r.Errorf("%q is %v", text, got)
		}
	})
}

func hostile() map[string]string {
	near := func(part string) string { return strings.Repeat(part, email.MaxText/len(part)) }
	return map[string]string{
		"long": strings.Repeat("a", 1<<20), "list": near("a@x.example,"), "commas": near(","), "colons": near("a:"), "colons alone": near(":"), "semicolons": near("a@b;"), "quotes": near(`"`), "quoted": near(`"a"`),
		"comments": near("("), "nested": near("(a)"), "brackets": near("<"), "pairs": near("<a@b>"), "ats": near("@"), "dots": near("."), "unicode": "a@" + near("ü")[2:],
		"routes": near("<@a:"), "words": near("a "), "backslashes": `"` + near(`\`)[1:], "groups": near("a:b@c;"), "encoded": near("=?utf-8?q?x?= "),
		"domains": near("a@" + strings.Repeat("漢", 63) + "." + strings.Repeat("漢", 63) + ","),
	}
}

// TestHostile bounds what a hostile text may cost in memory; BenchmarkHostile
// tells the time.
func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := email.Analyse(text, email.Options{})
		email.AnalyseHeader(text, email.Options{})
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%s: %d MiB were used", name, used>>20)
		}
		if len(got) == 0 || len(got) > email.MaxRecipients+2 || got[len(got)-1].Kind != tv.EffectOpaque {
			t.Errorf("%s: %d effects", name, len(got))
		}
	}
}

func FuzzAnalyse(f *testing.F) {
	for _, seed := range []string{
		"ana@firm.example", `"Li, Ana" <ana@firm.example>, b@x.example`, "Team: a@x.example, b@x.example;", `"a b"@x.example`, "<@r:a@x.example>", "a(c)@x.example", "a%b@x.example",
		"a@x.example\r\nBcc: b@y.example", "=?utf-8?q?a?= <a@x.example>", "a@müller.example", "a@[::1]", "mailto:a@x.example", "a@x.example; b@y.example", "<a@x> <b@y>", "a@xn--a.example",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, text)
		email.AnalyseHeader(text, email.Options{})
		email.AnalyseValue(canon.Object(canon.Member{Name: "email", Value: canon.String(text)}, canon.Member{Name: "name", Value: canon.String(text)}), email.Options{})
	})
}

func BenchmarkAnalyse(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"address", "ana.li+invoices@firm.example"}, {"name", `"Li, Ana" <ana@firm.example>`}, {"list", "a@firm.example, B <b@firm.example>, c@firm.example"}, {"international", "ana@müller.example"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				email.Analyse(c.text, email.Options{Source: "/to", Field: "to"})
			}
		})
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				email.Analyse(text, email.Options{})
				email.AnalyseHeader(text, email.Options{})
			}
		})
	}
}

func ExampleAnalyse() {
	for _, e := range email.Analyse(`"Li, Ana" <ana@firm.example>, bo@Müller.example`, email.Options{}) {
		fmt.Println(e.Kind, e.Recipient)
	}
	// Output:
	// send ana@firm.example
	// send bo@xn--mller-kva.example
}
