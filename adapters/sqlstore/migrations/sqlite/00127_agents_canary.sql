-- +goose Up
-- The share of sessions that a learned policy serves first, and the share that one on trial serves, in tenths of a percent.
ALTER TABLE agents ADD COLUMN canary INTEGER NOT NULL DEFAULT 100 CONSTRAINT agents_canary CHECK (canary BETWEEN 0 AND 1000);
ALTER TABLE agents ADD COLUMN trial INTEGER NOT NULL DEFAULT 0 CONSTRAINT agents_trial CHECK (trial BETWEEN 0 AND 1000);
