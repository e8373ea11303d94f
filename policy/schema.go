// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	_ "embed"
)

//go:embed schema.json
var jsonSchema string

// JSONSchema returns the JSON Schema (2020-12) of a policy file, for editors.
// It refuses less than [Compile], which also knows the tools and what the parts
// mean together.
func JSONSchema() []byte { return []byte(jsonSchema) }
