// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package effect

import (
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/internal/argument"
)

// patch reads a patch that names its files in lines of their own, as coding agents
// apply it:
//
//	*** Begin Patch
//	*** Add File: a
//	*** Update File: b
//	*** Move to: c
//	*** Delete File: d
//	*** End Patch
//
// What is between them is content. Readers differ in whether blanks may stand
// before the stars, so a line of content that looks like one of these counts too.
func (r *reading) patch(v located, role tv.Role) []tv.Effect {
	text, ok := argument.Text(v.value, "")
	if !ok {
		return []tv.Effect{opaque(v.at, "no text where a patch is expected")}
	}
	var effects []tv.Effect
	files, last := 0, ""
	touch := func(name string, uses ...string) {
		files++
		at := located{tv.Value{}, v.at}
		at.value = argument.Default(name)
		effects = append(effects, r.path(at, tv.Role{Uses: uses, Base: role.Base, BaseFrom: role.BaseFrom, Verbatim: true})...)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "***") {
			continue
		}
		if files > maxValues {
			return append(effects, opaque(v.at, "more files than are looked at: use smaller patches"))
		}
		word, name, _ := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		switch word {
		case "*** Begin Patch", "*** End Patch", "*** End of File":
		case "*** Add File":
			touch(name, "write")
		case "*** Delete File":
			touch(name, "delete")
		case "*** Update File":
			touch(name, "read", "write")
			last = name
		case "*** Move to":
			touch(last, "delete")
			touch(name, "write")
		default:
			effects = append(effects, opaque(v.at, "a line of a patch that is not known"))
		}
	}
	if files == 0 {
		return []tv.Effect{opaque(v.at, "a patch that names no file")}
	}
	return effects
}
