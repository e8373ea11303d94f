// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package apifuzz asks a whole gate whatever its OpenAPI document leads one to
// ask, and much that it does not: requests that are valid, nearly valid and
// hostile. It knows the document, the gate's configuration and what may run under
// it; of how the gate comes to its answers it knows nothing.
package apifuzz
