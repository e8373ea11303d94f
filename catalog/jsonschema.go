// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var jsonSchema []byte

// JSONSchema returns the published JSON Schema of overlay files, for editors.
// [ParseOverlay] is stricter: it also checks what no schema can say.
func JSONSchema() []byte { return slices.Clone(jsonSchema) }
