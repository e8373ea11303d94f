// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package path_test

import (
	"testing"

	"github.com/toolverdict/toolverdict/effect/path"
)

func TestBelow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		folder, name string
		folded       bool
		want         string
		below        bool
	}{
		{"/srv/app", "/srv/app/x/y", false, "x/y", true},
		{"/srv/app/", "/srv/app/x", false, "x", true},
		{"/", "/srv/app", false, "srv/app", true},
		{"/srv/app", "/srv/app", false, "", false},
		{"/srv/app", "/srv/apple/x", true, "", false},
		{"/srv/app", "/SRV/App/X", false, "", false},
		{"/srv/app", "/SRV/App/X", true, "X", true},
		{"/srv/caf\u00e9", "/srv/cafe\u0301/x", true, "x", true},
		{"/srv/caf\u00e9", "/srv/cafe\u0301/x", false, "", false},
		{"/srv/app", "srv/app/x", true, "", false},
	} {
		if rest, below := path.Below(c.folder, c.name, c.folded); rest != c.want || below != c.below {
			t.Errorf("%q below %q, folded %t: %q, %t", c.name, c.folder, c.folded, rest, below)
		}
	}
}
