// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"regexp"
	grammar "regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// texts finds tests of text that also fit what their writer cannot have meant:
// paths, hosts and addresses that are compared letter by letter.
func (f *finder) texts(r Rule, cond syntax.Condition, positive bool) {
	switch cond := cond.(type) {
	case *syntax.All:
		for _, p := range cond.Parts {
			f.texts(r, p, positive)
		}
	case *syntax.Any:
		for _, p := range cond.Parts {
			f.texts(r, p, positive)
		}
	case *syntax.Not:
		f.texts(r, cond.Part, !positive)
	case *syntax.Effects:
		f.texts(r, cond.Part, positive)
	case *syntax.Test:
		if cond.Field.Root == "args" || cond.Field.Root == "effects" {
			f.operators(cond, cond.Ops, (r.Verdict == toolverdict.Allow) == positive)
		}
	}
}

// operators checks operators whose truth lets a call pass, or stops it.
func (f *finder) operators(t *syntax.Test, ops []syntax.Op, passes bool) {
	for _, o := range ops {
		switch o.Name {
		case "not":
			f.operators(t, o.Ops, !passes)
			continue
		case "any", "every":
			f.operators(t, o.Ops, passes)
			continue
		}
		for _, v := range o.Values {
			if v.Kind != syntax.Text {
				continue
			}
			if what, hint := slip(t.Field, o.Name, v.Text, passes); what != "" {
				f.warn(v.Pos, hint, "%s of %s: %s", o.Name, t.Field.Text, what)
			}
		}
	}
}

func slip(f syntax.Field, operator, s string, passes bool) (what, hint string) {
	switch operator {
	case "prefix":
		return prefixSlip(s, passes)
	case "suffix", "contains":
		return hostSlip(f, operator, s)
	case "glob":
		return globSlip(s, passes && f.Root != "effects") // paths of effects are clean
	case "regex":
		return regexSlip(s, passes)
	}
	return "", ""
}

var openURL = regexp.MustCompile(`^(?:https?|wss?|ftp)://[^/?#]+$`)

func prefixSlip(s string, passes bool) (what, hint string) {
	switch {
	case openURL.MatchString(s):
		return "this also fits " + s + ".evil.example", "write hostIn, which reads the URL, and test the scheme beside it"
	case !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") || s == "/":
		return "", ""
	case !strings.HasSuffix(s, "/"):
		return "this also fits " + s + "-other, which is another folder", "write under, which compares whole parts of a path"
	case passes:
		return "this also fits " + s + "../other", "write under, which reads the path"
	}
	return "", ""
}

// hostSlip finds domains at the end of a text, or anywhere in it.
func hostSlip(f syntax.Field, operator, s string) (what, hint string) {
	name, mail := strings.CutPrefix(s, "@")
	if _, err := match.ParseDomain(name); err != nil || !strings.Contains(name, ".") || !mail && !aboutHosts(f) {
		return "", ""
	}
	switch {
	case mail && operator == "suffix":
		return "this also fits two addresses, and a name in quotes, before " + s, "write domainIn, which reads the address"
	case mail:
		return "this also fits " + s + ".evil.example", "write domainIn, which reads the address"
	case operator == "suffix":
		return "this also fits evil" + name, "write hostIn for a URL, domainIn for a mail address"
	}
	return "this also fits evil.example/" + name, "write hostIn for a URL, domainIn for a mail address"
}

// aboutHosts reports whether a field's name says that it holds a host, a URL or
// an address.
func aboutHosts(f syntax.Field) bool {
	last := strings.ToLower(f.Text)
	for _, s := range f.Steps {
		if s.Kind == syntax.Member {
			last = strings.ToLower(s.Name)
		}
	}
	words := strings.FieldsFunc(last, func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"url", "uri", "host", "hostname", "domain", "site", "link", "endpoint", "origin", "to", "cc", "bcc", "email", "mail", "recipient", "recipients", "address"}, w)
	})
}

var starHost = regexp.MustCompile(`^(?:https?|wss?|ftp|\*)://[^/]*\*`)

func globSlip(s string, passes bool) (what, hint string) {
	name, mail := strings.CutPrefix(s, "*@")
	switch _, err := match.ParseDomain(name); {
	case mail && err == nil:
		return "the star also fits other addresses before the last one", "write domainIn, which reads the address"
	case starHost.MatchString(s):
		return "the star also crosses slashes: another host can stand before it", "write hostIn, which reads the URL"
	case passes && strings.HasPrefix(s, "/") && strings.HasSuffix(s, "/*") && strings.Count(s, "*") == 1:
		return "the star also fits ../other", "write under, which reads the path"
	}
	return "", ""
}

// regexSlip finds open ends, and dots that stand for any character where a dot
// was meant.
func regexSlip(s string, passes bool) (what, hint string) {
	tree, err := grammar.Parse(s, grammar.Perl)
	if err != nil {
		return "", ""
	}
	tree = bare(tree)
	parts := tree.Sub
	if tree.Op != grammar.OpConcat {
		return "", ""
	}
	if looseDot(parts) {
		return "a dot stands for any character here", `write \. where a dot is meant, or compare hosts with hostIn`
	}
	if first, last := anything(parts[0]), anything(parts[len(parts)-1]); first || last {
		if !passes {
			return "a line end in the text slips past .*", "write (?s) first, or prefix, suffix or contains"
		}
		return "anything may stand where .* is", "say what may stand there, or write under or hostIn for paths and URLs"
	}
	return "", ""
}

// bare leaves out groups around the whole, and anchors, which are not needed.
func bare(t *grammar.Regexp) *grammar.Regexp {
	for t.Op == grammar.OpCapture {
		t = t.Sub[0]
	}
	if t.Op != grammar.OpConcat {
		return t
	}
	out := *t
	out.Sub = slices.DeleteFunc(slices.Clone(t.Sub), func(s *grammar.Regexp) bool {
		return s.Op == grammar.OpBeginText || s.Op == grammar.OpEndText || s.Op == grammar.OpBeginLine || s.Op == grammar.OpEndLine
	})
	if len(out.Sub) == 0 {
		return &grammar.Regexp{Op: grammar.OpEmptyMatch}
	}
	return &out
}

// anything reports whether a part fits any run of characters on one line.
func anything(t *grammar.Regexp) bool {
	for t.Op == grammar.OpCapture {
		t = t.Sub[0]
	}
	return (t.Op == grammar.OpStar || t.Op == grammar.OpPlus) && t.Sub[0].Op == grammar.OpAnyCharNotNL
}

// looseDot finds a dot between what looks like the parts of a host's name.
func looseDot(parts []*grammar.Regexp) bool {
	for i := 1; i+1 < len(parts); i++ {
		before, after := parts[i-1], parts[i+1]
		if parts[i].Op == grammar.OpAnyCharNotNL && before.Op == grammar.OpLiteral && after.Op == grammar.OpLiteral &&
			word(before.Rune[len(before.Rune)-1]) && word(after.Rune[0]) && len(after.Rune) > 1 {
			return true
		}
	}
	return false
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' }
