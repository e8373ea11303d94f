// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package format checks texts against the formats of JSON Schema: dates,
// addresses, identifiers. A format that it does not know is nobody's rule.
package format
