// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package subjects

import (
	"fmt"
	"path/filepath"

	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/identity/password"
)

// Made is the password of an example, in clear: whoever starts it may see it.
type Made struct{ ID, Password string }

// Passwords returns the hashes of the passwords of a configuration's people,
// and those that were made for an example.
func Passwords(c *config.Config) (map[string]password.Hash, []Made, error) {
	hashes := map[string]password.Hash{}
	var made []Made
	for _, sub := range c.Subjects {
		p := sub.Password
		if p == nil {
			continue
		}
		hash, err := password.Parse(p.Hash)
		if p.Example {
			var text string
			if text, err = example(filepath.Join(c.Data, examplePasswords), sub.ID, func() (string, error) { return password.Make(), nil }); err == nil {
				made = append(made, Made{sub.ID, text})
				hash, err = password.Stable(text) // sessions outlive a restart
			}
		}
		if err != nil {
			return nil, nil, p.Problem("%s", fmt.Sprintf("subject %q: password: %v", sub.ID, err))
		}
		hashes[sub.ID] = hash
	}
	return hashes, made, nil
}
