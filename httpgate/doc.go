// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package httpgate is the front door for programs that speak plain HTTP: it
// turns requests under /v1 into proposals and questions to the approval desk,
// and their answers into JSON. It decides nothing: every verdict comes from the
// gate, every right to approve from the desk.
//
// A decision of the gate is an answer with status 200, whatever the verdict; a
// request that is no call at all gets a problem document (RFC 9457).
package httpgate
