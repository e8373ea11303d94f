-- Copyright 2026 The Toolverdict Authors
-- SPDX-License-Identifier: Apache-2.0

-- +goose Up

-- The log. A leaf is the truth; nothing of it is copied into columns, so that
-- no column can say something else. Times everywhere are microseconds of Unix.
CREATE TABLE records (
    seq  INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    leaf BLOB NOT NULL
) STRICT;

-- Hashes of every 256, 65 536, … records: level 8, 16, …
CREATE TABLE tree (
    level INTEGER NOT NULL,
    n     INTEGER NOT NULL,
    hash  BLOB NOT NULL,
    PRIMARY KEY (level, n)
) WITHOUT ROWID, STRICT;

CREATE TABLE checkpoints (
    size INTEGER PRIMARY KEY,
    at   INTEGER NOT NULL,
    note BLOB NOT NULL
) STRICT;
CREATE INDEX checkpoints_at ON checkpoints (at);

-- The head: the tree's right edge, how much of it is signed, and the latest
-- time that any record or checkpoint carries.
CREATE TABLE head (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    size   INTEGER NOT NULL,
    edge   BLOB NOT NULL,
    signed INTEGER NOT NULL,
    latest INTEGER NOT NULL
) STRICT;
INSERT INTO head (id, size, edge, signed, latest) VALUES (1, 0, x'', -1, 0);

-- Guards against a slip of the hand, not against an attacker: those are caught
-- by the signatures.
-- +goose StatementBegin
CREATE TRIGGER records_stay BEFORE UPDATE ON records
BEGIN
    SELECT RAISE(ABORT, 'records are never changed');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER records_remain BEFORE DELETE ON records
BEGIN
    SELECT RAISE(ABORT, 'records are never removed');
END;
-- +goose StatementEnd

-- The ledger. The body is the entry; the columns are what it is found by.
CREATE TABLE claims (
    key      TEXT PRIMARY KEY,
    epoch    INTEGER NOT NULL,
    state    TEXT NOT NULL,
    node     TEXT NOT NULL,
    updated  INTEGER NOT NULL,
    deadline INTEGER NOT NULL,
    body     BLOB NOT NULL,
    content  BLOB
) STRICT;
CREATE INDEX claims_state ON claims (state, updated);
CREATE INDEX claims_over ON claims (deadline) WHERE state IN ('succeeded', 'failed');

CREATE TABLE approvals (
    id      TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    state   TEXT NOT NULL,
    digest  TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    body    BLOB NOT NULL
) STRICT;
CREATE INDEX approvals_state ON approvals (state, created, id);
CREATE INDEX approvals_created ON approvals (created, id);

-- One row for each dispatch that a limit counts. The ordinals of a key have no
-- gap and its times never fall, so that counting is subtracting.
CREATE TABLE takes (
    key   TEXT NOT NULL,
    at    INTEGER NOT NULL,
    ord   INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (key, at, ord)
) WITHOUT ROWID, STRICT;

CREATE TABLE choices (
    user TEXT NOT NULL,
    tool TEXT NOT NULL,
    PRIMARY KEY (user, tool)
) WITHOUT ROWID, STRICT;

-- A pin's hash is of its definition's very bytes, so they are kept apart.
CREATE TABLE pins (
    tool       TEXT PRIMARY KEY,
    body       BLOB NOT NULL,
    definition BLOB NOT NULL
) STRICT;

-- Written to find out whether the disk takes a write: as much as any change
-- needs, so that a disk with room for one page is not called a good one.
CREATE TABLE pulse (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    at     INTEGER NOT NULL,
    weight BLOB NOT NULL
) STRICT;
