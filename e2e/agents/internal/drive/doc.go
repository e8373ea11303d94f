// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package drive runs real coding agents against a scripted model, each in a home folder
// and an environment of its own, with the gate as their hook. What an agent did is seen
// in the file system, and what its model was told at the model.
package drive
