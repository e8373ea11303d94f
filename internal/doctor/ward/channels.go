// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package ward

import (
	"maps"
	"slices"

	"github.com/toolverdict/toolverdict/internal/doctor/gate"
)

// TryChannels has cards sent, with this key of an administrator or one that an
// example made.
func (p *Patient) TryChannels(key string) {
	c := p.Options.Config
	if c == nil {
		return
	}
	if key == "" {
		var ids []string
		for i := range c.Subjects {
			if slices.Contains(c.Subjects[i].Roles, "admin") {
				ids = append(ids, c.Subjects[i].ID)
			}
		}
		key = gate.KeyOf(c, ids)
	}
	p.channels = gate.Channels{Server: p.Address(), Key: key, Names: slices.Sorted(maps.Keys(c.Channels)), Client: p.Client}.Try
}
