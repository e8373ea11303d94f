// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package watchcmd

import (
	"io"
	"time"

	"github.com/toolverdict/toolverdict/httpgate/client"
)

// Views are both places where a list is shown, and what is said.
func Views(to io.Writer, colour bool) map[string]func(now time.Time, all []client.Approval, said string) {
	out := map[string]func(time.Time, []client.Approval, string){}
	for name, v := range map[string]view{"rows": &rows{to: to}, "screen": &screen{to: to, colour: colour, whole: true}} {
		out[name] = func(now time.Time, all []client.Approval, said string) {
			v.say(said)
			v.list(now, all, all)
		}
	}
	return out
}
