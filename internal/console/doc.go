// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package console is the gate's web pages for people: what waits for them, what
// was decided, and the forms to decide. It translates and decides nothing: votes
// go to the desk, which checks them like everybody's.
//
// It knows sessions, not API keys: it never looks at an Authorization header, as
// the API never looks at a cookie. A request that could change something must
// tell that a page of the console itself made it. Pages hold only what records
// and cards hold, redacted. Where something cannot be read, the page says so and
// nothing was changed.
package console
