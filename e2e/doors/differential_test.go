// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package doors_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
)

// What is around the arguments can be read in two ways, too. In each of these, one
// program finds words that are allowed, and another words that are not: it must be
// refused, or decided on the allowed ones, and then only these may run.

const (
	goodWords = `{"message":"good"}`
	evilWords = `{"message":"evil"}`
)

// twist makes a text of a call ambiguous. Good and evil are a member with its value.
type twist struct {
	name string
	of   func(name, good, evil string) string
}

func twists() []twist {
	return []twist{
		{"twice", func(n, g, e string) string { return member(n, g) + "," + member(n, e) }},
		{"twice, the other way", func(n, g, e string) string { return member(n, e) + "," + member(n, g) }},
		{"twice, escaped", func(n, g, e string) string { return member(n, g) + "," + member(escaped(n), e) }},
		{"twice, escaped, the other way", func(n, g, e string) string { return member(escaped(n), e) + "," + member(n, g) }},
		{"in capitals", func(n, g, e string) string { return member(strings.ToUpper(n), e) + "," + member(n, g) }},
		{"in capitals, behind it", func(n, g, e string) string { return member(n, g) + "," + member(strings.ToUpper(n), e) }},
		{"with a capital", func(n, g, e string) string { return member(n, g) + "," + member(strings.ToUpper(n[:1])+n[1:], e) }},
		{"with a long s", func(n, g, e string) string {
			return member(n, g) + "," + member(strings.ReplaceAll(n, "s", "\u017f")+blank(n), e)
		}},
		{"with a blank", func(n, g, e string) string { return member(n, g) + "," + member(n+" ", e) }},
		{"with a null", func(n, g, e string) string { return member(n, g) + "," + member(n+`\u0000`, e) }},
		{"in a prototype", func(n, g, e string) string { return member(n, g) + `,"__proto__":{` + member(n, e) + "}" }},
		{"instead of it, in capitals", func(n, _, e string) string { return member(strings.ToUpper(n), e) }},
		{"as a list", func(n, g, e string) string { return member(n, "["+g+","+e+"]") }},
		{"in a list", func(n, _, e string) string { return member(n, "["+e+"]") }},
	}
}

// harmless are twists in which no program was seen to take the one name for the
// other. What does not know the second one may pass over it.
func harmless(name string) bool {
	return strings.HasSuffix(name, " with a blank") || strings.HasSuffix(name, " in a prototype")
}

func member(name, value string) string { return `"` + name + `":` + value }

func escaped(name string) string { return fmt.Sprintf(`\u%04x`, name[0]) + name[1:] }

// blank makes sure that a name without an s is another one.
func blank(name string) string {
	if strings.Contains(name, "s") {
		return ""
	}
	return "\u200b"
}

// around are ways to put another call beside a whole text.
func around(good, evil string) map[string]string {
	return map[string]string{
		"another text behind it": good + evil, "another text before it": evil + good, "another line": good + " " + evil,
		"bytes that are no UTF-8": strings.Replace(good, "good", "go\xffd", 1), "an overlong letter": strings.Replace(good, "good", "go\xc0\xafd", 1),
		"half of a pair in UTF-8": strings.Replace(good, "good", "go\xed\xa0\x80d", 1), "UTF-16": wide(good),
		"a byte order mark": "\ufeff" + evil, "garbage behind it": evil + "}", "in a list with another": "[" + good + "," + evil + "]",
	}
}

// wide is a text in UTF-16, with its mark.
func wide(s string) string {
	out := "\xfe\xff"
	for _, c := range []byte(s) {
		out += "\x00" + string(rune(c))
	}
	return out
}

// texts are all twisted forms of one door's text.
func (d *door) texts(t *testing.T) map[string]string {
	t.Helper()
	write := func(words string) string {
		return d.write(&row{Name: "d", Tool: "echo", Arguments: words, label: "#diff#" + d.name})
	}
	good, evil := write(goodWords), write(evilWords)
	out := around(good, evil)
	found := memberOf(good, evil)
	if found == nil {
		t.Fatalf("%s: the member with the arguments is not found in %s", d.name, good)
	}
	name, g, e := found[0], found[1], found[2]
	for _, tw := range twists() {
		out["the arguments "+tw.name] = strings.Replace(good, member(name, g), tw.of(name, g, e), 1)
	}
	if at := regexp.MustCompile(`"(tool|name|toolName|tool_name|id)":("[^"]*echo")`).FindStringSubmatch(good); at != nil {
		for _, tw := range twists() {
			other := strings.Replace(at[2], "echo", "shell", 1)
			out["the tool "+tw.name] = strings.Replace(good, at[0], tw.of(at[1], at[2], other), 1)
		}
	}
	return out
}

// memberOf finds the member in which two texts of a call differ: its name and the
// two values.
func memberOf(good, evil string) []string {
	from := 0
	for from < len(good) && good[from] == evil[from] {
		from++
	}
	head := good[:from]
	at := strings.LastIndex(head, `":{`)
	if quoted := strings.LastIndex(head, `":"{`); quoted > at {
		at = quoted
	}
	if at < 0 {
		return nil
	}
	name := head[strings.LastIndex(head[:at], `"`)+1 : at]
	value := func(s string) string {
		rest := s[at+2:]
		end := strings.Index(rest, "}") + 1
		if rest[0] == '"' {
			end++
		}
		return rest[:end]
	}
	return []string{name, value(good), value(evil)}
}

// TestReadInTwoWays takes ambiguous texts through every door that reads one.
func TestReadInTwoWays(t *testing.T) { //nolint:tparallel // the doors end before what ran is looked at
	t.Parallel()
	s := newSite(t)
	all := s.texting(t)
	digest := ""
	t.Run("doors", func(t *testing.T) {
		for _, d := range all {
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				for name, text := range d.texts(t) {
					r := &row{Name: name, Tool: "echo", Arguments: goodWords, label: "#diff#" + d.name}
					got := d.send(t, text, r)
					if got.verdict == "allow" && !harmless(name) {
						t.Errorf("%s: it is allowed: %s", name, text)
					}
					if got.verdict == "allow" && got.leave != "" && got.leave != goodWords {
						t.Errorf("%s: leave is for %s: %s", name, got.leave, text)
					}
				}
				r := &row{Name: "plain", Tool: "echo", Arguments: goodWords, label: "#diff#" + d.name}
				if got := d.call(t, r); got.verdict != "allow" && !strings.Contains(d.name, "cursor") {
					t.Errorf("afterwards it no longer serves: %+v", got)
				}
			})
		}
	})
	for _, list := range s.decisions(t) {
		for _, rec := range list {
			if rec.Verdict != tv.Allow.String() {
				continue
			}
			if digest == "" {
				digest = rec.ArgumentsMAC
			}
			if rec.ArgumentsMAC != digest || rec.Tool != server+"/echo" {
				t.Errorf("allowed through %s: %s with %s", rec.Door, rec.Tool, rec.Arguments)
			}
		}
	}
	s.ran.mu.Lock()
	defer s.ran.mu.Unlock()
	for call, times := range s.ran.times {
		if call != "echo "+goodWords {
			t.Errorf("%s ran %d times", call, times)
		}
	}
}

// texting are the doors that read a text.
func (s *site) texting(t *testing.T) []door {
	t.Helper()
	var out []door
	for _, list := range [][]door{s.overHTTP(t), s.shapes(t), s.overMCP(t), s.agents(t)} {
		for _, d := range list {
			if d.send != nil {
				out = append(out, d)
			}
		}
	}
	return out
}
