// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package words says what the console says, in the languages it speaks. It knows
// texts, times, numbers and money, no pages. A text that is missing shows its
// key, and fails a test.
package words

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed *.json
var files embed.FS

// Language is one of those that the console speaks. It is immutable.
type Language struct {
	Tag  string // as HTML has it: en, zh-CN
	Name string // in itself
	text map[string]string
}

// Book holds all languages. It is safe for concurrent use.
type Book struct{ all []*Language }

// Load reads the languages. The first is the one for everybody else.
func Load() (*Book, error) {
	b := &Book{}
	for _, l := range []*Language{{Tag: "en", Name: "English"}, {Tag: "zh-CN", Name: "中文"}} {
		raw, err := files.ReadFile(l.Tag + ".json")
		if err == nil {
			err = json.Unmarshal(raw, &l.text)
		}
		if err != nil {
			return nil, fmt.Errorf("load words of %s: %w", l.Tag, err)
		}
		b.all = append(b.all, l)
	}
	return b, nil
}

// All returns the languages.
func (b *Book) All() []*Language { return slices.Clone(b.all) }

// Keys returns the keys that a language has texts for, sorted.
func (l *Language) Keys() []string {
	keys := make([]string, 0, len(l.text))
	for k := range l.text {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Choose takes the language that somebody chose, else the first that the browser
// asks for and the book has, else the first of all.
func (b *Book) Choose(chosen, accept string) *Language {
	for _, l := range b.all {
		if l.Tag == chosen {
			return l
		}
	}
	best, weight := b.all[0], 0.0
	for i, part := range strings.Split(accept, ",") {
		tag, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		q := 1.0
		if v, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			q, _ = strconv.ParseFloat(v, 64)
		}
		main, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		for _, l := range b.all {
			own, _, _ := strings.Cut(strings.ToLower(l.Tag), "-")
			if own == main && q > weight {
				best, weight = l, q
			}
		}
		if i > 32 {
			break
		}
	}
	return best
}

// T returns a text with {0}, {1} … filled in.
func (l *Language) T(key string, args ...any) string {
	text, ok := l.text[key]
	if !ok {
		return key
	}
	if len(args) == 0 {
		return text
	}
	pairs := make([]string, 0, 2*len(args))
	for i, a := range args {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", fmt.Sprint(a))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// W returns the text of a word of the gate's own, such as a state: PREFIX.WORD.
func (l *Language) W(prefix string, word any) string { return l.T(prefix + "." + fmt.Sprint(word)) }

// Has reports whether there is a text of a word.
func (l *Language) Has(prefix string, word any) bool {
	_, ok := l.text[prefix+"."+fmt.Sprint(word)]
	return ok
}

// N returns a text for a number of things: KEY.one or KEY.other, with the number
// as {0}.
func (l *Language) N(key string, n int) string {
	if n == 1 {
		return l.T(key+".one", l.Number(n))
	}
	return l.T(key+".other", l.Number(n))
}

// Number groups the digits of a number.
func (l *Language) Number(n int) string { return group(strconv.Itoa(n)) }

func group(digits string) string {
	sign := ""
	if rest, ok := strings.CutPrefix(digits, "-"); ok {
		sign, digits = "-", rest
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// signs are those of currencies that are known by them everywhere. What others
// use, too, keeps its code.
func signs(currency string) string {
	return map[string]string{"EUR": "€", "GBP": "£", "INR": "₹", "KRW": "₩"}[currency]
}

// Money writes an exact decimal amount of a currency, with at least two places
// where it has any. What is no plain amount is written as it is.
func (l *Language) Money(amount, currency string) string {
	sign, digits := "", amount
	if rest, ok := strings.CutPrefix(amount, "-"); ok {
		sign, digits = "-", rest
	}
	whole, part, dot := strings.Cut(digits, ".")
	if whole == "" || dot && part == "" || strings.Trim(whole+part, "0123456789") != "" {
		return strings.TrimSpace(amount + " " + currency)
	}
	text := group(whole)
	if known := signs(currency); known != "" && currency != "KRW" || currency == "USD" || currency == "CNY" {
		part += strings.Repeat("0", max(0, 2-len(part)))
	}
	if part != "" {
		text += "." + part
	}
	if known := signs(currency); known != "" {
		return sign + known + text
	}
	return strings.TrimSpace(sign + text + " " + currency)
}

// Time writes a moment to the second, in the gate's own zone; the page's script
// puts it into the reader's.
func (l *Language) Time(t time.Time) string {
	if l.Tag == "zh-CN" {
		return t.Format("2006年1月2日 15:04:05 MST")
	}
	return t.Format("2 Jan 2006, 15:04:05 MST")
}

// Brief writes a moment of these days to the minute.
func (l *Language) Brief(t time.Time) string {
	if l.Tag == "zh-CN" {
		return t.Format("1月2日 15:04 MST")
	}
	return t.Format("2 Jan 15:04 MST")
}

// Left says how long something still takes.
func (l *Language) Left(d time.Duration) string {
	switch {
	case d <= 0:
		return l.T("time.over")
	case d < time.Minute:
		return l.N("time.seconds", int((d+time.Second-1)/time.Second))
	case d < time.Hour:
		return l.N("time.minutes", int((d+time.Minute-1)/time.Minute))
	case d < 48*time.Hour:
		return l.N("time.hours", int((d+30*time.Minute)/time.Hour))
	}
	return l.N("time.days", int((d+12*time.Hour)/(24*time.Hour)))
}

// Ago says how long ago something was.
func (l *Language) Ago(d time.Duration) string {
	if d < 10*time.Second {
		return l.T("time.now")
	}
	return l.T("time.ago", l.Left(d))
}

// Took writes a short duration.
func (l *Language) Took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.0f µs", float64(d)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
