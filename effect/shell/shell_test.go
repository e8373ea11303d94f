// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
)

// brief writes an effect short: "delete /a/b...", "read ?", "exec git push?".
func brief(e toolverdict.Effect) string {
	place := e.Path
	switch {
	case e.Pattern != "":
		place = e.Pattern
	case e.Path == "":
		place = "?"
	}
	if e.Deep && e.Pattern == "" {
		place += "..."
	}
	switch e.Kind {
	case toolverdict.EffectRead:
		if e.Names {
			return "names " + place
		}
		return "read " + place
	case toolverdict.EffectWrite, toolverdict.EffectDelete:
		return string(e.Kind) + " " + place
	case toolverdict.EffectExecute:
		s := strings.TrimSpace("exec " + e.Program + " " + e.Verb)
		if !e.Known {
			s += "?"
		}
		return s
	case toolverdict.EffectConnect:
		if e.Host == "" {
			return "connect ?"
		}
		return fmt.Sprintf("connect %s:%d", e.Host, e.Port)
	case toolverdict.EffectSend:
		return "send " + e.Recipient
	default:
		return string(e.Kind)
	}
}

func isOpaque(effects []toolverdict.Effect) bool {
	return slices.ContainsFunc(effects, func(e toolverdict.Effect) bool { return e.Kind == toolverdict.EffectOpaque })
}
