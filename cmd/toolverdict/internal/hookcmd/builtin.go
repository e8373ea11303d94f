// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookcmd

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/policy"
)

//go:embed policy.yaml
var builtInPolicy string

// builtIn is the configuration of a user who has none: the data folder beside
// where a configuration would be, and somebody who may approve.
func builtIn(configFolder, home string) (*config.Config, error) {
	if !filepath.IsAbs(configFolder) || !filepath.IsAbs(home) {
		return nil, fmt.Errorf("no configuration is named and the user's home folder is not known: name one with --config")
	}
	c, err := config.Parse("", []byte(`version: 1
policies: [built-in]
stdio: {subject: agent}
subjects:
  - {id: agent, kind: agent}
  - {id: me, kind: person, roles: [approver]}
`))
	if err != nil {
		return nil, err
	}
	c.Data, c.Policies = filepath.Join(configFolder, "toolverdict", "hook-data"), nil
	return c, nil
}

// builtInFor is the built-in policy for a folder. One whose name could mean
// something in a policy is refused.
func builtInFor(workspace, home string) ([]policy.File, error) {
	for _, folder := range []string{workspace, home} {
		for _, r := range folder {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+@", r) {
				return nil, fmt.Errorf("the built-in policy cannot be written for the folder %q: write a configuration with a policy of your own and name it with --config", folder)
			}
		}
	}
	text := strings.NewReplacer(`"WORKSPACE`, `"`+workspace, `"HOME`, `"`+home).Replace(builtInPolicy)
	return []policy.File{{Name: "built-in policy.yaml", Content: []byte(text)}}, nil
}
