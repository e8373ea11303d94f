// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config

import _ "embed"

//go:embed schema.json
var schema []byte

// JSONSchema returns the JSON Schema (2020-12) of the configuration file, for
// editors. It refuses less than [Load], which also knows what parts mean
// together.
func JSONSchema() []byte { return append([]byte(nil), schema...) }
