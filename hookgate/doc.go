// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package hookgate knows what coding agents tell the hook that they call before
// and after each of their tools, and which answer stops a tool: the contract of
// each agent in a file of its own. It decides nothing; package desk below it asks
// the gate.
//
// There are two answers. No objection is an empty object, in every agent: to say
// "allow" would skip what the user wants to be asked about. A denial is exactly
// the agent's own form, because agents run the tool where a key, a letter's case
// or an event's name is another. Everything that goes wrong is a denial.
package hookgate
