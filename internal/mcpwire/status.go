// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire

import "net/http"

// HTTPStatus returns the status that goes with a response where the gate is the
// only HTTP server: the modern revision has statuses for some errors, the older
// ones answer every request with 200.
func HTTPStatus(request, response *Message) int {
	if !request.Modern() || !response.Error().Exists() {
		return http.StatusOK
	}
	switch response.ErrorCode() {
	case CodeMethodNotFound:
		return http.StatusNotFound
	case CodeInvalidParams, CodeHeaderMismatch, CodeNoCapability, CodeVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
