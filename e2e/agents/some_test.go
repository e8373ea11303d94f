// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e && !agents

package agents_test

func agents() []installed { return []installed{claude(), codex()} }
