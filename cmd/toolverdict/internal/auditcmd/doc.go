// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package auditcmd are the commands of "toolverdict audit".
package auditcmd
