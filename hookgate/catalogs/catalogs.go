// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package catalogs knows the built-in tools of coding agents: what their arguments
// mean, and which groups they are in. A tool that is not named here is unknown to
// the gate, and so refused.
package catalogs

import (
	"embed"
	"fmt"

	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/hookgate"
)

//go:embed *.yaml
var files embed.FS

// Overlay returns the tools of an agent, as an operator would have described them.
func Overlay(a hookgate.Agent) (*catalog.Overlay, error) {
	name := string(a) + ".yaml"
	b, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the tools of %s: there is no such agent", a)
	}
	return catalog.ParseOverlay("built-in "+name, b)
}
