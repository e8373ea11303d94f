// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	_ "embed"
	"net/http"
	"slices"
)

//go:embed openapi.json
var openAPI []byte

// OpenAPI returns the OpenAPI 3.1 document of what is served under /v1. A test
// makes it of the routes, of what requests may hold and of the types of answers,
// and holds every answer of the other tests to it.
func OpenAPI() []byte { return slices.Clone(openAPI) }

// document serves it. It says nothing of any one gate.
func document(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openAPI)
}
