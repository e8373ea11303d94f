// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"net/netip"
	"strings"
)

// Analysis is what an [Analyser] found in the arguments of one call.
type Analysis struct {
	Effects []Effect
	// Addresses are what names resolved to. The decision rests on them, so a tool
	// that can be told where to connect is told (see [Permit.Addresses]).
	Addresses map[string][]netip.Addr
}

type analysed struct{ *trail }

// analyse reads what the call would do out of its arguments, and holds a tool
// that is declared read-only to its word, whatever the rules say.
func (g *Gate) analyse(ctx context.Context, c valid) (analysed, error) {
	c.analysis, c.call.Files = Analysis{}, nil
	if len(c.tool.def.Roles) == 0 {
		return analysed(c), nil
	}
	c.analysis = g.Analyser.Analyse(ctx, c.tool, c.call.Arguments, c.call.Environment)
	c.call.Files = operands(c.analysis.Effects)
	c.shown.effects, c.shown.left = g.presentable(c.trail, RecordView)
	if r := RefuseEffects(c.tool, c.analysis.Effects, g.quote); r != nil {
		c.decision.Reason = "the tool is declared read-only"
		return analysed{}, r
	}
	return analysed(c), nil
}

// operands are the files that effects would run, with what they hold.
func operands(effects []Effect) map[string]string {
	var files map[string]string
	for i := range effects {
		if e := &effects[i]; e.SHA256 != "" {
			if files == nil {
				files = map[string]string{}
			}
			files[e.Program] = e.SHA256
		}
	}
	return files
}

// MayDo reports whether a tool that only reads may have the effect: it reads, or
// it connects where an argument is declared to be a URL. Tools that are not
// declared read-only are not asked.
func (t *Tool) MayDo(e *Effect) bool {
	switch e.Kind {
	case EffectRead:
		return true
	case EffectQuery:
		return e.Query.OnlyReads()
	case EffectConnect:
		for at, role := range t.def.Roles {
			if role.Kind == RoleURL && e.Source != "" && overlaps(at, e.Source) {
				return true
			}
		}
	default: // changes something, or may
	}
	return false
}

// overlaps reports whether two JSON pointers name one place, or one of them a
// place inside of the other; a step * of the first stands for any.
func overlaps(pattern, pointer string) bool {
	for pattern != "" && pointer != "" {
		var a, b string
		a, pattern = cutStep(pattern)
		b, pointer = cutStep(pointer)
		if a != b && a != "*" {
			return false
		}
	}
	return true
}

func cutStep(pointer string) (step, rest string) {
	step = strings.TrimPrefix(pointer, "/")
	if i := strings.IndexByte(step, '/'); i >= 0 {
		return step[:i], step[i:]
	}
	return step, ""
}
