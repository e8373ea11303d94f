// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package tomlline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/hookgate/setup/internal/tomlline"
)

func TestRead(t *testing.T) {
	t.Parallel()
	const text = `model = "m" # hooks = false
features.hooks = false
features = { a = true, codex_hooks=false }
long = """
[features]
hooks = true
"""
one = """x"""
[ features ]
hooks=false# no
[hooks.state."/a/hooks.json:pre_tool_use:0:0"]
trusted_hash = "sha256:x"
[[list.'a b']]
x.y = 1
= 2
bad"key = 3
`
	var got []string
	for _, s := range tomlline.Read(text) {
		got = append(got, strings.Join(s.Keys, "|")+"="+s.Value)
	}
	want := []string{
		`model="m" # hooks = false`, "features|hooks=false", "features|a=true", "features|codex_hooks=false", `long="""`, `one="""x"""`, "features|hooks=false",
		`hooks|state|/a/hooks.json:pre_tool_use:0:0|trusted_hash="sha256:x"`, "list|a b|x|y=1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s := tomlline.Read(text); s[6].Line != 10 {
		t.Error(s[6].Line)
	}
}
