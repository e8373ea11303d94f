-- Copyright 2026 The Toolverdict Authors
-- SPDX-License-Identifier: Apache-2.0

-- +goose Up

-- Policies that were in force, by the hash of what they mean.
CREATE TABLE policies (
    hash    TEXT PRIMARY KEY,
    at      INTEGER NOT NULL,
    body    BLOB NOT NULL,
    content BLOB NOT NULL
) STRICT;
CREATE INDEX policies_at ON policies (at);

-- Which of them is meant to be in force, and what bundles were accepted.
CREATE TABLE policy_notes (
    key      TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    body     BLOB NOT NULL
) WITHOUT ROWID, STRICT;
