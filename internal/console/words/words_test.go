// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package words_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/console/words"
)

func load(t *testing.T) *words.Book {
	t.Helper()
	b, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// use is a call of T, N or W in a page or in the console's code.
var use = regexp.MustCompile(`\.(T|N|W)[ (]"([a-z0-9.-]+)"`)

// used reads the sources of the console for the texts that they ask for: whole
// keys, and beginnings of keys whose end is a word of the gate.
func used(t *testing.T) (keys, beginnings []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".html") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range use.FindAllSubmatch(b, -1) {
			switch key := string(m[2]); string(m[1]) {
			case "T":
				keys = append(keys, key)
			case "N":
				keys = append(keys, key+".one", key+".other")
			default:
				beginnings = append(beginnings, key+".")
			}
		}
		for _, m := range regexp.MustCompile(`note\([^"\n]*"(effect\.[a-z.-]+)"`).FindAllSubmatch(b, -1) {
			keys = append(keys, string(m[1]))
		}
		return err
	})
	if err != nil || len(keys) < 50 {
		t.Fatalf("%d keys are used, %v", len(keys), err)
	}
	return keys, beginnings
}

func TestEveryTextIsThereAndUsed(t *testing.T) {
	t.Parallel()
	keys, beginnings := used(t)
	first := load(t).All()[0]
	for _, l := range load(t).All() {
		if diff := cmp.Diff(first.Keys(), l.Keys()); diff != "" {
			t.Errorf("%s and %s have different texts:\n%s", first.Tag, l.Tag, diff)
		}
		for _, key := range keys {
			if l.T(key) == key {
				t.Errorf("%s: there is no text %s", l.Tag, key)
			}
		}
		for _, key := range l.Keys() {
			if strings.TrimSpace(l.T(key)) == "" {
				t.Errorf("%s: the text %s is empty", l.Tag, key)
			}
			if !slices.Contains(keys, key) && !slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(key, b) }) {
				t.Errorf("%s: nothing uses the text %s", l.Tag, key)
			}
		}
	}
}

// Words of the gate's own must all have texts: they come from data, and no
// source names them.
func TestEveryWordOfTheGateHasAText(t *testing.T) {
	t.Parallel()
	all := map[string][]string{
		"state": {"pending", "approved", "claimed", "done", "failed", "unknown", "rejected", "expired", "cancelled", "revoked"},
		"risk":  {"low", "medium", "high"}, "safety": {"read-only", "destructive"}, "verdict": {"allow", "ask", "deny", ""},
		"effect":      {"read", "write", "delete", "execute", "connect", "send", "spend", "query", "opaque"},
		"role":        {"shell", "sql", "path", "url", "email", "header", "money", "code"},
		"card.ended":  {"ran", "failed", "unknown", "denied", "asked"},
		"tools.state": {"listed", "new", "changed", "refused", "gone"}, "tools.confirmation": {"risk", "always", "never"},
		"tools.execution": {"parallel", "sequential"},
		"network":         {"private", "loopback", "link-local", "metadata", "reserved"},
	}
	for _, door := range tv.Doors() {
		all["door"] = append(all["door"], string(door))
	}
	for _, code := range tv.Codes() {
		all["code"] = append(all["code"], string(code))
	}
	for _, l := range load(t).All() {
		for prefix, list := range all {
			for _, word := range list {
				if !l.Has(prefix, word) {
					t.Errorf("%s: there is no text %s.%s", l.Tag, prefix, word)
				}
			}
		}
	}
}

func TestPlaceholdersAreTheSame(t *testing.T) {
	t.Parallel()
	holes := regexp.MustCompile(`\{[0-9]\}`)
	all := load(t).All()
	for _, key := range all[0].Keys() {
		want := holes.FindAllString(all[0].T(key), -1)
		for _, l := range all[1:] {
			got := holes.FindAllString(l.T(key), -1)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s fills in %v, and %v in %s", key, l.Tag, got, want, all[0].Tag)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	b := load(t)
	for _, c := range []struct{ chosen, accept, want string }{
		{"", "", "en"}, {"", "zh-CN,zh;q=0.9,en;q=0.8", "zh-CN"}, {"", "zh-TW", "zh-CN"}, {"", "ZH", "zh-CN"},
		{"", "de, zh;q=0.5, en;q=0.7", "en"}, {"", "de", "en"}, {"zh-CN", "en", "zh-CN"}, {"xx", "zh", "zh-CN"},
		{"", "zh;q=x", "en"}, {"", strings.Repeat("a,", 5000) + "zh", "en"}, {"../zh-CN", "", "en"},
	} {
		if got := b.Choose(c.chosen, c.accept).Tag; got != c.want {
			t.Errorf("%q, %.30q: %s, want %s", c.chosen, c.accept, got, c.want)
		}
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	all := load(t).All()
	en, zh := all[0], all[1]
	for _, c := range []struct{ got, want string }{
		{en.Money("250", "EUR"), "€250.00"}, {en.Money("1234567.5", "EUR"), "€1,234,567.50"}, {en.Money("-3.10", "USD"), "-3.10 USD"},
		{en.Money("12.3456", "EUR"), "€12.3456"}, {en.Money("500", "JPY"), "500 JPY"}, {en.Money("500", "KRW"), "₩500"},
		{en.Money("1e9", "EUR"), "1e9 EUR"}, {en.Money("", ""), ""}, {en.Money("5.", "EUR"), "5. EUR"}, {en.Money("--5", "EUR"), "--5 EUR"}, {zh.Money("80", "CNY"), "80.00 CNY"},
		{en.Number(-1234567), "-1,234,567"}, {en.Number(999), "999"},
		{en.Left(-1), "over"}, {en.Left(time.Second), "1 second"}, {en.Left(61 * time.Second), "2 minutes"}, {zh.Left(3 * time.Hour), "3 小时"}, {en.Left(72 * time.Hour), "3 days"},
		{en.Ago(time.Second), "just now"}, {zh.Ago(5 * time.Minute), "5 分钟前"},
		{en.T("inbox.by", "{0} <b>"), "asked by {0} <b>"}, {en.T("no.such"), "no.such"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
