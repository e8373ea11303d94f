-- Copyright 2026 The Toolverdict Authors
-- SPDX-License-Identifier: Apache-2.0

-- +goose Up

-- Yeses of people to calls that are like one another. The body is the grant; the
-- columns are what it is found by. Over is 1 once it covers nothing more and its
-- condition is forgotten.
CREATE TABLE grants (
    id      TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    tool    TEXT NOT NULL,
    subject TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    over    INTEGER NOT NULL,
    body    BLOB NOT NULL
) STRICT;
CREATE INDEX grants_open ON grants (tool, subject, expires) WHERE over = 0;
CREATE INDEX grants_late ON grants (expires) WHERE over = 0;
CREATE INDEX grants_created ON grants (created, id);
