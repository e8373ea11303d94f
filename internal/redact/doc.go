// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package redact makes what may be kept and shown of a call.
//
// It works from several independent signs, because each of them misses: the
// fields that a tool calls sensitive, names of fields, the look of values, and
// the exact values of secrets that the gate itself holds, in every encoding
// they are likely to travel in. What is hidden is replaced by a placeholder
// with its kind and a short keyed digest, so that equal values can be told to be
// equal and nothing else.
//
// It is not proof against a tool or a model that means to hide a secret: a
// cipher, a split, an own encoding pass. What must not leave needs a sandbox.
package redact
