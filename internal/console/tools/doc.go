// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package tools is the console's pages about tools: what the catalog says of each,
// what waits for review and how it differs from what was reviewed, and what a user
// switched off. It decides nothing: who may switch or accept is judged by the
// services behind it, and a form names the definition that was on the page.
package tools
