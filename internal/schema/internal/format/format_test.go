// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"slices"
	"strings"
	"testing"

	library "github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/internal/schema/internal/format"
)

// examples are texts that a format takes, and some that are almost so.
func examples() map[string][2][]string {
	long := strings.Repeat("a", 63)
	dates := [2][]string{
		{"2026-02-28", "2024-02-29"},
		{"2026-02-29", "2026-13-01", "2026-2-01", "2026-02-28T", "", "20260228"},
	}
	references := [2][]string{
		{"", "a", "/a?b#c", "http://h/x", "//h", "#f", "é", "http://[::1]:80/"},
		{`a\b`, "%zz", "http://[x]/", "http://[::1", ":a", "\x7f"},
	}
	uris := [2][]string{
		{"http://h/x", "urn:a:b", "http://[::1]/", "mailto:a@b.c"},
		{"", "/a", "h", "http://[::g]/", "//h", "http://a b/"},
	}
	return map[string][2][]string{
		"json-pointer":          {{"", "/", "/a", "/a~0~1b", "/é//"}, {"a", "/~", "/~2", "/a~~0", "#/a"}},
		"relative-json-pointer": {{"0", "1/a", "12#", "0#", "10"}, {"", "01", "/a", "1a", "1##", "-1", "0~"}},
		"uuid":                  {{"2EB8AA08-aa98-11EA-b4aa-73b441d16380"}, {"2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa98-11ea-b4aa-73b441d16380-", "2eb8aa08-aa98-11ea-b4aa-73b441d1638g", ""}},
		"duration":              {{"P1Y2M3DT4H5M6S", "P3W", "PT1S", "P1D", "PT36H", "P1YT1S"}, {"", "P", "PT", "P1", "1D", "P1D2Y", "P1W2D", "P1S", "PT1D", "P-1D", "P1DT1HT", "PW", "P1.5D"}},
		"period":                {{"2026-01-01T00:00:00Z/P1D", "P1D/2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z/2026-01-02T00:00:00Z"}, {"P1D/P1D", "2026-01-01T00:00:00Z", "/", "P1D/", "2026-01-01/P1D"}},
		"ipv4":                  {{"0.0.0.0", "255.255.255.255", "1.20.199.249"}, {"256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.", "1.2.3.+4", "1.2.3.4 ", "１.2.3.4", "1.2.3.0x4", ""}},
		"ipv6":                  {{"::", "::1", "2001:db8::1", "::ffff:1.2.3.4"}, {"1.2.3.4", ":::", "fe80::1%eth0", "12345::", "::g", "[::1]", ""}},
		"hostname":              {{"h", "a-b.example.com.", "1a", long + ".x"}, {"", ".", "-a", "a-", "a..b", "a_b", long + "a", strings.Repeat(long+".", 4), "é"}},
		"email":                 {{"a@b.c", `"a b"@c`, "a@[1.2.3.4]", "a@[IPv6:::1]", "a+b/c@d"}, {"a", "@", "a@", ".a@b", "a.@b", "a..b@c", "a b@c", `"a"b"@c`, "a@[1.2.3]", "a@[IPv6:x]", strings.Repeat("a", 65) + "@b", "a@-b", "é@b", "a@" + strings.Repeat(long+".", 4)}},
		"date":                  dates,
		"time":                  {{"00:00:00Z", "23:59:59.5+23:59", "23:59:60z", "15:59:60-08:00", "00:29:60.1+00:30"}, {"24:00:00Z", "00:60:00Z", "00:00:61Z", "22:59:60Z", "00:00:00", "00:00:00.Z", "00:00:00+24:00", "00:00:00+1:00", "0:00:000Z", "+1:00:00Z", "00:00:00+00:60", "00-00:00Z", ""}},
		"date-time":             {{"2026-02-28T10:00:00Z", "2026-02-28t10:00:00.25+02:00"}, {"2026-02-28 10:00:00Z", "2026-02-30T10:00:00Z", "2026-02-28T10:00:00", "2026-02-28", "2026-02-28T25:00:00Z"}},
		"uri":                   uris,
		"iri":                   uris,
		"uri-reference":         references,
		"iri-reference":         references,
		"uri-template":          {{"http://h/{a}/{b}", "a", "{a}b{c}", ""}, {"http://h/{a", "http://h/a}", "http://h/{{a}}", "/%zz"}},
		"semver":                {{"1.2.3", "0.0.0", "1.2.3-a.1+b.01", "1.2.3--", "1.0.0+0-0"}, {"1.2", "01.2.3", "1.2.3-", "1.2.3+", "1.2.3-01", "v1.2.3", "1.2.3-a..b", "1..3", "1.2.3+é", ""}},
		"regex":                 {{"^a$", `\d`, "", `\cJ`}, {"(", "(?=a)", "[", strings.Repeat("a", 3000)}},
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	all := examples()
	for _, name := range format.Names() {
		check, cases := format.For(name), all[name]
		if check == nil || len(cases[0]) == 0 || len(cases[1]) == 0 {
			t.Errorf("%s: no check, or no examples", name)
			continue
		}
		for _, s := range cases[0] {
			if !check(s) {
				t.Errorf("%s refuses %q", name, s)
			}
		}
		for _, s := range cases[1] {
			if check(s) {
				t.Errorf("%s takes %q", name, s)
			}
		}
	}
	if format.For("e-mail") != nil {
		t.Error("a format that nobody knows has a check")
	}
}

// genText draws an example with a few slips.
func genText(of [2][]string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := rapid.SampledFrom(slices.Concat(of[0], of[0], of[1])).Draw(t, "example")
		for range rapid.IntRange(0, 3).Draw(t, "slips") {
			at := rapid.IntRange(0, len(s)).Draw(t, "at")
			end := min(len(s), at+rapid.IntRange(0, 2).Draw(t, "gone"))
			s = strings.ToValidUTF8(s[:at]+rapid.StringOfN(rapid.RuneFrom([]rune(`0125639aTZPWDY.:-+/~{}[]%@#"\ é`)), 0, 2, -1).Draw(t, "new")+s[end:], "")
		}
		return s
	})
}

// Formats are those of the library that schemas were read with before, but for
// numbers with a sign where none can be, which it takes in times and addresses.
func TestAgreesWithLibrary(t *testing.T) {
	t.Parallel()
	signed := []string{"ipv4", "email", "time", "date-time", "period"}
	for _, name := range format.Names() {
		if name == "regex" {
			continue // is whatever the engine takes that the library is given
		}
		c := library.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("test:///s.json", map[string]any{"format": name}); err != nil {
			t.Fatal(err)
		}
		theirs, err := c.Compile("test:///s.json")
		if err != nil {
			t.Fatal(err)
		}
		texts := genText(examples()[name])
		rapid.Check(t, func(t *rapid.T) {
			s := texts.Draw(t, "text")
			ours, want := format.For(name)(s), theirs.Validate(s) == nil
			if ours != want && (ours || !slices.Contains(signed, name) || !strings.ContainsAny(s, "+-")) {
				t.Fatalf("%s %q: library %v, here %v", name, s, want, ours)
			}
		})
	}
}
