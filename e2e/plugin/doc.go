// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package plugin tests the plugin that 'toolverdict hook install opencode' writes, as
// opencode runs it, with programs in the gate's place that do whatever a program can
// do wrong. The agent itself is driven in the package agents.
package plugin
