// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package token splits a text into statements and tokens, as MySQL and MariaDB
// do it, in every way in which their settings and versions let them. It knows
// nothing of what the tokens mean.
package token
