// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"path"
	"regexp"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/workbench/draft"
)

// files converts Read(PATH) and Edit(PATH).
func (c *claude) files(p permission, kinds []string, group string) {
	reads := kinds[0] == string(tv.EffectRead)
	name := "Edit"
	if reads {
		name = "Read"
	}
	if len(c.meant[p.tool]) > 0 {
		name = p.tool
	}
	targets := c.targets(name, "path", group, "path", func(t *tv.Tool) bool { return !reads || t.Safety() == tv.ReadOnly })
	if p.what == "" {
		c.write(p, names(targets...), nil)
		return
	}
	test, why := c.path(p.what, p.strict())
	if why != "" {
		c.cannot(p, names(targets...), why)
		return
	}
	if !p.strict() {
		if !reads {
			kinds = []string{string(tv.EffectRead), string(tv.EffectWrite)}
		}
		c.write(p, names(targets...), draft.One("effects.every", draft.Map{{Key: "kind", Value: draft.Texts(kinds...)}, {Key: "path", Value: test}}))
		return
	}
	one := draft.Map{{Key: "kind", Value: draft.Texts(kinds...)}, {Key: "path", Value: test}}
	if reads {
		one = append(one, draft.Entry{Key: "names", Value: false}) // what is there may be listed, as a shell could before
	}
	c.write(p, names(append(targets, c.shells()...)...), draft.One("effects.any", one))
}

// path turns a pattern as .gitignore has them into a test of an absolute path.
// A strict one matches at least what the pattern does, another at most that.
func (c *claude) path(pattern string, strict bool) (test draft.Map, why string) {
	if strings.ContainsAny(pattern, "!\\[]{}\x00") {
		return nil, "its pattern has signs that have no equal here"
	}
	from, rest, deep := c.from(pattern)
	if from == "" && !strict {
		return nil, "where it starts is not known: name it with --home or --project"
	}
	rest, folder := cutFolder(rest)
	if rest == "" && from == "" {
		return nil, "it names no path"
	}
	if from != "" && !deep && !strings.ContainsAny(rest, "*?") && (folder != "/*" || strict) {
		return draft.One("under", path.Join(from, rest)), ""
	}
	var b strings.Builder
	b.WriteString("(?s)" + regexp.QuoteMeta(strings.TrimSuffix(from, "/")))
	switch {
	case from == "":
		b.WriteString("(.*/|/)")
	case deep:
		b.WriteString("/(.*/)?")
	default:
		b.WriteString("/")
	}
	b.WriteString(ignored(rest))
	switch {
	case strict || folder == "/**":
		b.WriteString("(/.*)?")
	case folder == "/*":
		b.WriteString("/[^/]+")
	}
	return draft.One("regex", b.String()), ""
}

// from finds where a pattern starts, "" where that is not known; deep where it
// may match in any folder below.
func (c *claude) from(pattern string) (from, rest string, deep bool) {
	switch {
	case strings.HasPrefix(pattern, "//"):
		return "/", strings.TrimLeft(pattern, "/"), false
	case strings.HasPrefix(pattern, "~/"):
		return c.options.Home, pattern[2:], false
	case strings.HasPrefix(pattern, "/"), strings.HasPrefix(pattern, "./"):
		return c.options.Project, strings.TrimPrefix(strings.TrimPrefix(pattern, "."), "/"), false
	}
	if anywhere, ok := strings.CutPrefix(pattern, "**/"); ok {
		return c.options.Project, anywhere, true
	}
	return c.options.Project, pattern, !strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
}

// cutFolder takes the end off a pattern that stands for what is in a folder.
func cutFolder(rest string) (before, folder string) {
	for _, end := range []string{"/**", "/*"} {
		if b, ok := strings.CutSuffix(rest, end); ok {
			return b, end
		}
	}
	if rest == "**" || rest == "*" {
		return "", "/" + rest
	}
	return strings.TrimSuffix(rest, "/"), ""
}

// ignored turns the rest of a pattern into a regular expression.
func ignored(rest string) string {
	out := regexp.QuoteMeta(rest)
	for _, sign := range [][2]string{{`\*\*/`, "\x00"}, {`/\*\*`, "\x01"}, {`\*`, `[^/]*`}, {`\?`, `[^/]`}, {"\x00", `(.*/)?`}, {"\x01", `/.*`}} {
		out = strings.ReplaceAll(out, sign[0], sign[1])
	}
	return out
}
