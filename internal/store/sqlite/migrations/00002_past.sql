-- Copyright 2026 The Toolverdict Authors
-- SPDX-License-Identifier: Apache-2.0

-- +goose Up

-- What rules know of a tool, as it was when it was called. Rows stay: every
-- process remembers what an id stands for.
CREATE TABLE past_tools (
    id    INTEGER PRIMARY KEY,
    facts TEXT NOT NULL UNIQUE
) STRICT;

-- One row for each call that rules can look back at. What ties calls together is
-- kept as a digest: equality is all that is asked of it. Of the arguments there is nothing but the numbers that a rule
-- adds up.
CREATE TABLE past (
    seq     INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE,
    at      INTEGER NOT NULL,
    tool    INTEGER NOT NULL,
    ran     INTEGER NOT NULL,
    state   INTEGER NOT NULL,
    subject BLOB NOT NULL,
    session BLOB NOT NULL,
    user    BLOB NOT NULL,
    agent   BLOB NOT NULL,
    run     BLOB NOT NULL,
    numbers TEXT
) STRICT;
CREATE INDEX past_tool ON past (tool, ran, at);
CREATE INDEX past_subject ON past (subject, tool, ran, at);
CREATE INDEX past_session ON past (session, tool, ran, at);
CREATE INDEX past_user ON past (user, tool, ran, at);
CREATE INDEX past_agent ON past (agent, tool, ran, at);
CREATE INDEX past_run ON past (run, tool, ran, at);
