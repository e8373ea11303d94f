-- Copyright 2026 The Toolverdict Authors
-- SPDX-License-Identifier: Apache-2.0

-- +goose Up

-- Who asks: a digest of the caller and its run. A flood of questions is told by it.
ALTER TABLE approvals ADD COLUMN asker TEXT NOT NULL DEFAULT '';
CREATE INDEX approvals_asker ON approvals (asker, digest) WHERE state IN ('pending', 'rejected');
