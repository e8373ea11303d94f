// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package email_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/email"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// show writes effects the way the tables here do: recipients, and "opaque".
func show(effects []tv.Effect) string {
	parts := make([]string, len(effects))
	for i, e := range effects {
		if parts[i] = e.Recipient; e.Kind != tv.EffectSend {
			parts[i] = string(e.Kind)
		}
	}
	return strings.Join(parts, " ")
}

// TestPlain holds fields that every library reads alike.
func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ana@firm.example":                            "ana@firm.example",
		"Ana@Firm.Example":                            "ana@firm.example",
		" ana@firm.example ":                          "ana@firm.example",
		"<ana@firm.example>":                          "ana@firm.example",
		"Ana <ana@firm.example>":                      "ana@firm.example",
		"Ana Li-Bó <ana@firm.example>":                "ana@firm.example",
		"Dr. Ana B. Li <ana@firm.example>":            "ana@firm.example",
		"O'Brien <o'brien@firm.example>":              "o'brien@firm.example",
		`"Li, Ana" <ana@firm.example>`:                "ana@firm.example",
		`"Ana (Sales)" <ana@firm.example>`:            "ana@firm.example",
		`"ana@other.example" <ana@firm.example>`:      "ana@firm.example",
		`"Ana" Li <ana@firm.example>`:                 "ana@firm.example",
		`"Sales: North" <ana@firm.example>`:           "ana@firm.example",
		`"" <ana@firm.example>`:                       "ana@firm.example",
		"李安 <ana@firm.example>":                       "ana@firm.example",
		"Ana 🎉 <ana@firm.example>":                    "ana@firm.example",
		"ana+tag@firm.example":                        "ana+tag@firm.example",
		"first.last_9-x@firm.example":                 "first.last_9-x@firm.example",
		"a@b.example":                                 "a@b.example",
		"bounce+ana=other.example@firm.example":       "bounce+ana=other.example@firm.example",
		"{x}~#$&*?^@firm.example":                     "{x}~#$&*?^@firm.example",
		"ana@mail.firm.example":                       "ana@mail.firm.example",
		"ana@localhost":                               "ana@localhost",
		"ana@3com.example":                            "ana@3com.example",
		"ana@1.2.3.example":                           "ana@1.2.3.example",
		"ana@a-b.example":                             "ana@a-b.example",
		"ana@müller.example":                          "ana@xn--mller-kva.example",
		"ana@MÜLLER.example":                          "ana@xn--mller-kva.example",
		"ana@xn--mller-kva.example":                   "ana@xn--mller-kva.example",
		"ana@Xn--Mller-Kva.example":                   "ana@xn--mller-kva.example",
		"ana@例え.テスト":                                  "ana@xn--r8jz45g.xn--zckzah",
		"josé@firm.example":                           "josé@firm.example",
		"安@firm.example":                              "安@firm.example",
		"a@x.example,b@x.example":                     "a@x.example b@x.example",
		"a@x.example, B <b@x.example>, c@x.example":   "a@x.example b@x.example c@x.example",
		"Team: a@x.example, B <b@x.example>;":         "a@x.example b@x.example",
		`"The Team": a@x.example;`:                    "a@x.example",
		"A: a@x.example;, B: b@x.example;":            "a@x.example b@x.example",
		"T: a@x.example; , c@x.example":               "a@x.example c@x.example",
		strings.Repeat("a", 64) + "@firm.example":     strings.Repeat("a", 64) + "@firm.example",
		"ana@" + strings.Repeat("a", 63) + ".example": "ana@" + strings.Repeat("a", 63) + ".example",
		"ana@corp.example.firm.example":               "ana@corp.example.firm.example",
		"a@x.example,Team:b@y.example;":               "a@x.example b@y.example",
		`"ana.li"@firm.example`:                       "ana.li@firm.example",
		`A <"ana"@firm.example>`:                      "ana@firm.example",
		"ana@firm-example.example":                    "ana@firm-example.example",
	} {
		if diff := cmp.Diff(want, show(email.Analyse(text, email.Options{}))); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
	}
}

// TestDoubtful holds what libraries read differently: the recipients that were
// found, and an opaque effect.
func TestDoubtful(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a@x.example; b@evil.example":                  "a@x.example b@evil.example",
		"a@x.example;":                                 "a@x.example",
		"a@x.example,":                                 "a@x.example",
		",a@x.example":                                 "a@x.example",
		"a@x.example,,b@x.example":                     "a@x.example b@x.example",
		"a@x.example b@evil.example":                   "",
		"a@b@x.example":                                "",
		"eve@evil.example(ana@x.example)":              "eve@evil.example",
		"(c)a@x.example":                               "a@x.example",
		"a(c)@x.example":                               "a@x.example",
		"a@(c)x.example":                               "a@x.example",
		"a@x(b@evil.example).example":                  "a@x.example",
		"Ana (Sales) <a@x.example>":                    "a@x.example",
		"a@x.example (Ana, b@evil.example)":            "a@x.example",
		"(a@x.example":                                 "",
		"a@x.example)":                                 "",
		"<a@x.example> <b@evil.example>":               "a@x.example b@evil.example",
		"<a@x.example>b@evil.example":                  "a@x.example b@evil.example",
		"<a@x.example> Ana":                            "a@x.example",
		"<a@x.example":                                 "a@x.example",
		"a@x.example>":                                 "",
		"<<a@x.example>>":                              "",
		"< a@x.example>":                               "a@x.example",
		"<>":                                           "",
		"eve@evil.example <a@x.example>":               "a@x.example",
		"Li, Ana <a@x.example>":                        "a@x.example",
		`"eve@evil.example," <a@x.example>`:            "a@x.example",
		`"<eve@evil.example>" <a@x.example>`:           "a@x.example",
		`"eve\"@evil.example" <a@x.example>`:           "a@x.example",
		`"Ana <a@x.example>`:                           "",
		`""@x.example`:                                 "",
		`".a"@x.example`:                               ".a@x.example",
		`"a!b"@x.example`:                              "a!b@x.example",
		`"a b"@x.example`:                              "",
		`"eve@evil.example> ORCPT=x@y"@x.example`:      "",
		`"eve@evil.example"@x.example`:                 "",
		`"a\"b"@x.example`:                             "",
		`"a`:                                           "",
		`a"b"@x.example`:                               "",
		"<@relay.example:a@x.example>":                 "a@x.example",
		"<@r1.example,@r2.example:a@x.example>":        "a@x.example",
		"@relay.example:a@x.example":                   "a@x.example",
		"a%evil.example@x.example":                     "a%evil.example@x.example",
		"evil.example!a@x.example":                     "evil.example!a@x.example",
		"|run@x.example":                               "|run@x.example",
		"`run`@x.example":                              "`run`@x.example",
		"/var/mail/x@x.example":                        "/var/mail/x@x.example",
		"-oQ/tmp@x.example":                            "-oq/tmp@x.example",
		"=?utf-8?q?eve=40evil.example?= <a@x.example>": "a@x.example",
		"=?utf-8?q?eve=40evil.example=2c?=@x.example":  "=?utf-8?q?eve=40evil.example=2c?=@x.example",
		".a@x.example":                                 ".a@x.example",
		"a.@x.example":                                 "a.@x.example",
		"a..b@x.example":                               "a..b@x.example",
		strings.Repeat("a", 65) + "@x.example":         strings.Repeat("a", 65) + "@x.example",
		"a@x.example.":                                 "a@x.example",
		"a@faß.example":                                "a@xn--fa-hia.example",
		"a@ｘ.example":                                  "a@x.example",
		"a@x。example":                                  "a@x.example",
		"a@1.2.3.4":                                    "a@1.2.3.4",
		"a@x.123":                                      "a@x.123",
		"ａ@x.example":                                  "",
		"a＠x.example":                                  "",
		"a@x..example":                                 "",
		"a@.x.example":                                 "",
		"a@-x.example":                                 "",
		"a@x-.example":                                 "",
		"a@x_y.example":                                "",
		"a@xn--a.example":                              "",
		"a@[10.0.0.5]":                                 "",
		"a@[IPv6:::1]":                                 "",
		"a@" + strings.Repeat("a", 64) + ".example":    "",
		"a@" + strings.Repeat("a.", 130) + "example":   "",
		"a@":                                    "",
		"@x.example":                            "",
		"@":                                     "",
		"a":                                     "",
		"Ana <a>":                               "",
		"mailto:a@x.example":                    "a@x.example",
		"mailto:a@x.example?bcc=b@evil.example": "",
		"https://x.example/":                    "",
		"Team: a@x.example":                     "a@x.example",
		"Team:;":                                "",
		"undisclosed recipients:;":              "",
		"Team: Inner: a@x.example;;":            "a@x.example",
		":a@x.example;":                         "a@x.example",
		"a@x.example:b@evil.example":            "a@x.example b@evil.example",
		"A: a@x.example;B: b@x.example;":        "a@x.example b@x.example",
		"A: a@x.example; c@x.example":           "a@x.example c@x.example",
		"A:; c@x.example":                       "c@x.example",
		"A: a@x.example;,":                      "a@x.example",
		"A: a@x.example,;":                      "a@x.example",
		"A: ,a@x.example;":                      "a@x.example",
		"Ana B. Li, bo@x.example":               "bo@x.example",
	} {
		got := email.Analyse(text, email.Options{})
		if diff := cmp.Diff(strings.TrimLeft(want+" opaque", " "), show(got)); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
	}
}

// TestInjection holds text that could end a header: nothing in it is believed.
func TestInjection(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "a@x.example\nBcc: eve@evil.example", "a@x.example\r\nBcc: eve@evil.example", "a@x.example\rx", "a@x.example\x00", "a\x0b@x.example", "a@x.example\x0c",
		"a@x.example\u2028Bcc: x", "a@x.example\u2029x", "a@x.example\u0085x", "a@x.example\u200b", "a\u202e@x.example", "\ufeffa@x.example", "a@x.\u00adexample", "a\u00a0@x.example",
		"a\t@x.example", "\x7fa@x.example", "a@x.example\xff", "Ana\r\n <a@x.example>", "\"Ana\r\nBcc: eve@evil.example\" <a@x.example>", "a@x.example\ufffd", "a\ufe0f@x.example",
		strings.Repeat("a@x.example,", 30_000),
	} {
		got := email.Analyse(text, email.Options{Source: "/to"})
		if show(got) != "opaque" || got[0].Source != "/to" || got[0].Detail == "" {
			t.Errorf("%.40q: %s", text, show(got))
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	got := email.Analyse("Ana <Ana@Müller.example>", email.Options{Source: "/bcc", Field: "bcc"})
	want := []tv.Effect{{Kind: tv.EffectSend, Source: "/bcc", Field: "bcc", Recipient: "ana@xn--mller-kva.example", Domain: "xn--mller-kva.example"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		"a@x.example": "a@x.example", "A <a@x.example>": "a@x.example", "a@x.example,b@x.example": "a@x.example b@x.example opaque",
		"T: a@x.example;": "a@x.example opaque", "T: a@x.example, b@x.example;": "a@x.example b@x.example opaque",
	} {
		if got := show(email.Analyse(text, email.Options{Single: true})); got != want {
			t.Errorf("%q as one address: %s", text, got)
		}
	}
	many := strings.Repeat("a@x.example,", email.MaxRecipients+5) + "eve@evil.example"
	if got := email.Analyse(many, email.Options{}); len(got) > email.MaxRecipients+2 || got[len(got)-1].Kind != tv.EffectOpaque {
		t.Errorf("%d effects, the last %+v", len(got), got[len(got)-1])
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"a@x.example, b@x.example"`:    "a@x.example b@x.example",
		`["a@x.example","b@x.example"]`: "a@x.example b@x.example",
		`["a@x.example,b@x.example"]`:   "a@x.example b@x.example opaque",
		`[]`:                            "",
		`null`:                          "",
		`[null]`:                        "opaque",
		`[["a@x.example"]]`:             "opaque",
		`7`:                             "opaque",
		`true`:                          "opaque",
		`{}`:                            "opaque",
		`{"name":"Ana"}`:                "opaque",
		`{"email":"a@x.example"}`:       "a@x.example",
		`{"address":"a@x.example","name":"Li, Ana"}`:                         "a@x.example",
		`{"address":"a@x.example","name":null}`:                              "a@x.example",
		`{"address":"a@x.example","name":""}`:                                "a@x.example",
		`{"emailAddress":{"address":"a@x.example","name":"Ana"}}`:            "a@x.example",
		`[{"email":"a@x.example"},"b@x.example"]`:                            "a@x.example b@x.example",
		`{"email":"a@x.example","address":"eve@evil.example"}`:               "opaque",
		`{"email":"a@x.example","cc":"eve@evil.example"}`:                    "opaque",
		`{"emailAddress":{"address":"a@x.example"},"x":1}`:                   "opaque",
		`{"email":"Ana <a@x.example>"}`:                                      "a@x.example opaque",
		`{"email":"a@x.example,b@x.example"}`:                                "a@x.example b@x.example opaque",
		`{"email":["a@x.example"]}`:                                          "opaque",
		`{"email":"a@x.example","name":"x\" <eve@evil.example>"}`:            "a@x.example opaque",
		`{"email":"a@x.example","name":"x\r\nBcc: eve@evil.example"}`:        "a@x.example opaque",
		`{"email":"a@x.example","name":"=?utf-8?q?x?="}`:                     "a@x.example opaque",
		`{"emailAddress":{"emailAddress":{"address":"a@x.example"}}}`:        "opaque",
		`[` + strings.Repeat(`"a@x.example",`, 1200) + `"eve@evil.example"]`: strings.Repeat("a@x.example ", email.MaxRecipients) + "opaque",
	} {
		v, err := canon.Parse([]byte(text), canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got := email.AnalyseValue(v, email.Options{Source: "/to", Field: "to"})
		if diff := cmp.Diff(want, show(got)); diff != "" {
			t.Errorf("%.60s\n%s", text, diff)
		}
		if text == `["a@x.example","b@x.example"]` && got[1].Source != "/to/1" {
			t.Errorf("the source of the second is %q", got[1].Source)
		}
	}
	if got := show(email.AnalyseValue(tv.Value{}, email.Options{})); got != "opaque" {
		t.Errorf("an absent value: %s", got)
	}
}

func TestHeader(t *testing.T) {
	t.Parallel()
	for text, safe := range map[string]bool{
		`"Hello"`: true, `""`: true, `"Re: a@x.example, b; <c>"`: true, `"日本語 🎉 \u200d"`: true, `"a\tb"`: true, `"Bcc: x"`: true, `"=?utf-8?q?caf=C3=A9?="`: true, `null`: true, `7`: true, `true`: true,
		`[]`: true, `["a","b",1]`: true, `"=?unknown"`: true,
		`"Hi\r\nBcc: x"`: false, `"Hi\nx"`: false, `"Hi\rx"`: false, `"Hi\u0000x"`: false, `"Hi\u000bx"`: false, `"Hi\u0085x"`: false, `"Hi\u2028x"`: false, `"Hi\u2029x"`: false,
		`"=?utf-8?q?Hi=0D=0ABcc:_x?="`: false, `"=?utf-8?b?SGkNCkJjYzogeA==?="`: false, `"=?x-odd?q?a?="`: false, `{}`: false, `["a","b\n"]`: false, `[["a"]]`: false,
	} {
		v, err := canon.Parse([]byte(text), canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got := email.AnalyseHeaderValue(v, email.Options{Source: "/subject"})
		if (len(got) == 0) != safe || !safe && (len(got) != 1 || got[0].Kind != tv.EffectOpaque || !strings.HasPrefix(got[0].Source, "/subject")) {
			t.Errorf("%s: got %+v", text, got)
		}
	}
	if len(email.AnalyseHeader("a\xffb", email.Options{})) != 1 || len(email.AnalyseHeaderValue(tv.Value{}, email.Options{})) != 1 {
		t.Error("bytes that are not UTF-8, or nothing at all, are a header")
	}
}
