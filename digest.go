// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Digest identifies the exact call: SHA-256, in hex, over the canonical form of
// tool, definition hash, arguments, subject and environment facts, and the
// contents of files that it would run. Approvals
// and ledger keys are bound to it. Permissions and roles are left out on
// purpose: a change in them is decided again instead.
func (c *Call) Digest(toolHash string) string {
	b := make([]byte, 0, 512)
	b = append(b, `{"arguments":`...)
	b = canon.Append(b, c.Arguments)
	b = append(b, `,"environment":{`...)
	for i, k := range slices.Sorted(maps.Keys(c.Environment)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = canon.AppendString(b, k)
		b = append(b, ':')
		b = canon.AppendString(b, c.Environment[k])
	}
	b = append(b, '}')
	if len(c.Files) > 0 {
		b = append(b, `,"files":{`...)
		for i, path := range slices.Sorted(maps.Keys(c.Files)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = canon.AppendString(b, path)
			b = append(b, ':')
			b = canon.AppendString(b, c.Files[path])
		}
		b = append(b, '}')
	}
	b = append(b, `,"subject":{"agent":`...)
	b = canon.AppendString(b, c.Subject.Agent)
	b = append(b, `,"id":`...)
	b = canon.AppendString(b, c.Subject.ID)
	b = append(b, `,"user":`...)
	b = canon.AppendString(b, c.Subject.User)
	b = append(b, `},"tool":`...)
	b = canon.AppendString(b, c.Tool)
	b = append(b, `,"toolHash":`...)
	b = canon.AppendString(b, toolHash)
	b = append(b, '}')
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
