// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package console drives the console of a real gate in a real browser. The tests
// save what the browser showed in .shots; look at it after a change of a page.
package console
