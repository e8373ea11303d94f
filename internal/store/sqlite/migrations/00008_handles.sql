-- Copyright 2026 The Toolverdict Authors
-- SPDX-License-Identifier: Apache-2.0

-- +goose Up

-- What another process names a call by when it tells the outcome. Most calls have none.
ALTER TABLE claims ADD COLUMN handle TEXT NOT NULL DEFAULT '';
UPDATE claims SET handle = coalesce(json_extract(CAST(body AS TEXT), '$.handle'), '') WHERE state = 'dispatched';
CREATE INDEX claims_handle ON claims (handle) WHERE handle <> '';
