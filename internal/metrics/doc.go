// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package metrics counts what a gate decides and shows it as Prometheus reads
// it. It counts records as they are written, so that a figure stands for
// something that is in the audit log, and it knows nothing of how a call is
// decided.
//
// No label holds anything that an agent, a tool server or a caller can choose:
// not a tool, a subject, a run or an argument. Words that are not in the gate's
// own lists are counted as "other". What cannot be read when somebody asks is
// left out, so that an alert on its absence fires.
package metrics
