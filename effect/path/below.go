// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Below returns what a clean absolute path says from a folder on, and whether it
// lies below the folder at all. With folded the file system takes names that
// differ in case or Unicode form for one, so another spelling of the folder is
// the folder. It looks at the text alone: a link may still lead out.
func Below(folder, name string, folded bool) (rest string, below bool) {
	parts := strings.Split(strings.TrimSuffix(folder, "/"), "/")
	own := strings.SplitN(name, "/", len(parts)+1)
	if len(own) <= len(parts) {
		return "", false
	}
	for i, part := range parts {
		if own[i] != part && (!folded || canon.Fold(own[i]) != canon.Fold(part)) {
			return "", false
		}
	}
	return own[len(parts)], true
}
