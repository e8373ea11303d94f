-- Copyright 2026 The Toolverdict Authors
-- SPDX-License-Identifier: Apache-2.0

-- +goose Up

-- Small rows that parts of the gate keep: cards on their way, tokens of buttons,
-- which chat account is whose.
CREATE TABLE shelf (
    kind     TEXT NOT NULL,
    key      TEXT NOT NULL,
    revision INTEGER NOT NULL,
    due      INTEGER,
    body     BLOB NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID, STRICT;
CREATE INDEX shelf_due ON shelf (kind, due) WHERE due IS NOT NULL;
