// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package shop is the small business behind the orders example: customers,
// orders, refunds, mail and a shell, with real rules and real effects, so that
// a gate in front of it has something to protect.
//
// It knows nothing of MCP and nothing of gates. A refusal by a business rule is
// an [*Error]; anything else that comes back is a fault of the machine. Every
// change is written to an append-only table in the same transaction as the
// change itself, so that a test can count how often something really happened.
package shop
