// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/redact"
)

// encodings are the ways in which a secret travels.
var encodings = map[string]func(s, before, after string) string{
	"plain":     func(s, b, a string) string { return b + s + a },
	"base64":    func(s, b, a string) string { return base64.StdEncoding.EncodeToString([]byte(b + s + a)) },
	"base64url": func(s, b, a string) string { return base64.RawURLEncoding.EncodeToString([]byte(b + s + a)) },
	"base64 in lines": func(s, b, a string) string {
		text := base64.StdEncoding.EncodeToString([]byte(b + s + a))
		var out strings.Builder
		for i, c := range text {
			if i > 0 && i%8 == 0 {
				out.WriteString("\r\n")
			}
			out.WriteRune(c)
		}
		return out.String()
	},
	"hex":            func(s, b, a string) string { return hex.EncodeToString([]byte(b + s + a)) },
	"HEX":            func(s, b, a string) string { return strings.ToUpper(hex.EncodeToString([]byte(b + s + a))) },
	"query":          func(s, b, a string) string { return url.QueryEscape(b + s + a) },
	"path":           func(s, b, a string) string { return "/" + url.PathEscape(b+s+a) },
	"query twice":    func(s, b, a string) string { return url.QueryEscape(url.QueryEscape(b + s + a)) },
	"every %":        func(s, b, a string) string { return everyPercent(b + s + a) },
	"html":           func(s, b, a string) string { return html.EscapeString(b + s + a) },
	"json":           func(s, b, a string) string { return inJSON(b + s + a) },
	"json twice":     func(s, b, a string) string { return inJSON(inJSON(b + s + a)) },
	"json \\u":       func(s, b, a string) string { return everyEscape(b + s + a) },
	"json \\u twice": func(s, b, a string) string { return inJSON(everyEscape(b + s + a)) },
	"basic":          func(s, _, _ string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+s)) },
	"url":            func(s, _, _ string) string { return "https://user:" + url.PathEscape(s) + "@example.com/" },
}

func inJSON(s string) string { return string(canon.Quote(s)) }

func everyPercent(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%%02x", s[i])
	}
	return b.String()
}

func everyEscape(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s
	}
	var out strings.Builder
	for _, r := range string(b) {
		if r > 0x20 && r < 0x7f && r != '\\' && r != '"' && r != 'u' {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// genSecret draws what credentials are made of: no blanks at the ends, long
// enough for every encoding to be told from other text.
func genSecret() *rapid.Generator[string] {
	return rapid.StringMatching(`[A-Za-z0-9!#$%&/=?+*~_.:,;@é密-]{8,40}`)
}

// survives reports whether somebody who knows the encodings can still read the
// secret out of a text.
func survives(text, secret string) bool {
	candidates := []string{text, strings.Join(strings.Fields(text), "")}
	for range 4 {
		for _, c := range slices.Clip(candidates) {
			if s, err := url.QueryUnescape(c); err == nil {
				candidates = append(candidates, s)
			}
			var s string
			if json.Unmarshal([]byte(`"`+strings.Trim(c, `"`)+`"`), &s) == nil {
				candidates = append(candidates, s)
			}
			candidates = append(candidates, html.UnescapeString(c))
		}
		if len(candidates) > 400 {
			break
		}
	}
	for _, c := range candidates {
		if strings.Contains(c, secret) || strings.Contains(strings.ToLower(c), hex.EncodeToString([]byte(secret))) {
			return true
		}
		for _, word := range strings.FieldsFunc(c, func(r rune) bool { return r > 0x7f || strings.ContainsRune(" \"'[]{}:,\\", r) }) {
			for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				if b, err := enc.DecodeString(strings.TrimRight(word, "=")); err == nil && strings.Contains(string(b), secret) {
					return true
				}
			}
		}
	}
	return false
}

// Whatever the field and the encoding, a held secret never survives: not in
// arguments, not as a name, not in a tool's answer, not in a message.
func TestHeldSecretsNeverSurvive(t *testing.T) {
	t.Parallel()
	names := make([]string, 0, len(encodings))
	for name := range encodings {
		names = append(names, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(genSecret(), 1, 3).Draw(t, "secrets")
		secret := secrets[rapid.IntRange(0, len(secrets)-1).Draw(t, "which")]
		way := rapid.SampledFrom(names).Draw(t, "encoding")
		text := encodings[way](secret, rapid.StringMatching(`[a-z ]{0,5}`).Draw(t, "before"), rapid.StringMatching(`[a-z ]{0,5}`).Draw(t, "after"))
		r, err := redact.New(redact.Config{Key: []byte(strings.Repeat("k", 32)), Held: secrets, MaxText: 4000})
		if err != nil {
			t.Fatal(err)
		}
		name := rapid.SampledFrom([]string{"q", "note", "url", text}).Draw(t, "name")
		args, err := canon.FromGo(map[string]any{"x": map[string]any{name: []any{text, 1}}, "y": text})
		if err != nil {
			t.Fatal(err)
		}
		raw := args.Raw()
		for where, out := range map[string]string{
			"arguments": string(r.Arguments(nil, args, toolverdict.RecordView)), "content": string(r.Content(raw)), "text": r.Text(text),
		} {
			if where != "text" && !json.Valid([]byte(out)) {
				t.Fatalf("%s: not JSON: %s", where, out)
			}
			for _, shown := range parts(out) {
				if survives(shown, secret) {
					t.Fatalf("%s, %s: %q survives in %s", where, way, secret, out)
				}
			}
		}
	})
}

// parts are a text and, where it is JSON, all strings in it, decoded.
func parts(out string) []string {
	all := []string{out}
	v, err := canon.Parse([]byte(out), canon.Limits{AllowFoldedSiblings: true})
	if err != nil {
		return all
	}
	var walk func(v canon.Value)
	walk = func(v canon.Value) {
		if v.Kind() == canon.KindString {
			all = append(all, v.Text())
		}
		for name, m := range v.Fields() {
			all = append(all, name)
			walk(m)
		}
		for _, e := range v.Items() {
			walk(e)
		}
	}
	walk(v)
	return all
}

func TestContent(t *testing.T) {
	t.Parallel()
	const secret = `hunter2"/é`
	r := newRedactor(t, redact.Config{Held: []string{secret, "12345678"}})
	mark := strings.Trim(string(r.Content(json.RawMessage(`"12345678"`))), `"`)
	for in, want := range map[string]string{
		`{"a":"x", "b" : [1,2.50,true,null]}`:     `{"a":"x", "b" : [1,2.50,true,null]}`,
		`{"n":12345678,"m":123}`:                  `{"n":"` + mark + `","m":123}`,
		`{"n":-12345678.5e3}`:                     `{"n":"` + mark + `"}`,
		`["id 12345678 ok","\u0031\u0032345678"]`: `["id ` + mark + ` ok","` + mark + `"]`,
		`{"12345678":"k"}`:                        `{"` + mark + `":"k"}`,
		`"\\u0031\\u0032345678 nested"`:           `"` + mark + `"`,
		"not json 12345678":                       `"not json ` + mark + `"`,
		`{"esc":"\ud83d\ude00 \"\\\/\b\f\n\r\t"}`: `{"esc":"\ud83d\ude00 \"\\\/\b\f\n\r\t"}`,
		``:                                    ``,
		`"hunter2\"\/\u00e9"`:                 "",
		`"{\"p\":\"hunter2\\\"\\/\\u00e9\"}"`: "",
	} {
		got := string(r.Content(json.RawMessage(in)))
		if want != "" && got != want || strings.Contains(got, "hunter2") {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	nothing := newRedactor(t, redact.Config{})
	in := json.RawMessage("not json at all")
	if out := nothing.Content(in); &out[0] != &in[0] {
		t.Error("bytes were touched though nothing is held")
	}
	in = json.RawMessage(`{"a":"nothing of the kind"}`)
	if out := r.Content(in); &out[0] != &in[0] {
		t.Error("bytes were touched though nothing was found")
	}
}

// Hiding changes only what it must: text without a secret passes as it is.
func TestContentLeavesTheRest(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, redact.Config{Held: []string{"hunter2-correct-horse"}})
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.String())).Draw(t, "content")
		in, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		if out := r.Content(in); string(out) != string(in) {
			t.Fatalf("%s became %s", in, out)
		}
	})
}

// FuzzContent: the answer stays valid JSON and no longer holds the secret.
func FuzzContent(f *testing.F) {
	const secret = "hunter2-correct-horse"
	for _, s := range []string{`{"a":"hunter2-correct-horse"}`, `"\u0068unter2-correct-horse"`, `[`, `{"a":1}`, `"` + base64.StdEncoding.EncodeToString([]byte("x"+secret)) + `"`, "\xff"} {
		f.Add([]byte(s))
	}
	r := newRedactor(f, redact.Config{Held: []string{secret}})
	f.Fuzz(func(t *testing.T, in []byte) {
		out := r.Content(in)
		if !json.Valid(out) && string(out) != string(in) || strings.Contains(string(out), secret) {
			t.Fatalf("%q became %q", in, out)
		}
	})
}

// FuzzText: no panic, no invalid text from valid text, nothing held.
func FuzzText(f *testing.F) {
	const secret = "hunter2-correct-horse"
	for _, s := range []string{"password=x", "https://a:b@c", "Cookie: a=b; sid=c", "--token x", `{"token": "x"}`, "-----BEGIN PRIVATE KEY-----", "sk-" + secret, "密码：abcd1", "?key=abcdef&x=," + secret} {
		f.Add(s)
	}
	r := newRedactor(f, redact.Config{Held: []string{secret}})
	f.Fuzz(func(t *testing.T, in string) {
		out := r.Text(in)
		if strings.Contains(out, secret) || utf8.ValidString(in) && !utf8.ValidString(out) {
			t.Fatalf("%q became %q", in, out)
		}
	})
}

func BenchmarkArguments(b *testing.B) {
	r := newRedactor(b, redact.Config{Held: []string{"hunter2-correct-horse", "another-held-secret"}})
	v := parse(b, `{"order_id":"A1001","amount":129.5,"reason":"The parcel arrived damaged.","notify":true,
		"lines":[{"sku":"SKU-1","count":1},{"sku":"SKU-22","count":3}],"url":"https://example.com/a?b=c","path":"/srv/data/x.txt"}`)
	s := tool(b, "/reason")
	b.ReportAllocs()
	for b.Loop() {
		r.Arguments(s, v, toolverdict.RecordView)
	}
}

func BenchmarkMAC(b *testing.B) {
	r := newRedactor(b, redact.Config{})
	v := parse(b, `{"order_id":"A1001","amount":129.5,"reason":"The parcel arrived damaged.","notify":true}`)
	b.ReportAllocs()
	for b.Loop() {
		r.MAC(v)
	}
}

func BenchmarkContent(b *testing.B) {
	r := newRedactor(b, redact.Config{Held: []string{"hunter2-correct-horse", "another-held-secret"}})
	content := json.RawMessage(`{"content":[{"type":"text","text":"` + strings.Repeat("Some words of an answer, and more. ", 300) + `"}]}`)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		r.Content(content)
	}
}
