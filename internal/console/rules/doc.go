// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package rules is the console's page about the policy: which one is in force and
// why, its rules and how often they matched, what was refused, and the versions
// that an admin can go back to. It decides nothing: going back is the service
// that the API and the command line use, and a form names the policy that was in
// force on the page.
package rules
