-- Copyright 2026 The Toolverdict Authors
-- SPDX-License-Identifier: Apache-2.0

-- +goose Up

-- Whom an approval has to do with: who asked, and who is named as deciding. Lists for one person read
-- it out of the index, and only the approvals that they show. Of those that are there already, all
-- texts count as names: that selects more, never less.
ALTER TABLE approvals ADD COLUMN names BLOB NOT NULL DEFAULT x'';
UPDATE approvals SET names = body;
DROP INDEX approvals_state;
DROP INDEX approvals_created;
CREATE INDEX approvals_state ON approvals (state, created, id, names);
CREATE INDEX approvals_created ON approvals (created, id, names);
