-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- The share of sessions that a learned policy serves first, and the share that one on trial serves, in tenths of a percent.
ALTER TABLE agents ADD COLUMN canary INTEGER NOT NULL DEFAULT 100;
ALTER TABLE agents ADD COLUMN trial INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agents ADD CONSTRAINT agents_canary CHECK (canary BETWEEN 0 AND 1000 AND trial BETWEEN 0 AND 1000) NOT VALID;
