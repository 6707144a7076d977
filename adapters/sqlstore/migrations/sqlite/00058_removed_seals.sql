-- +goose Up
-- sessions_until and events_until are sealed by the installation's key, as checkpoints are. What was noted without a seal is
-- noted again when something is removed.
ALTER TABLE retention ADD COLUMN seal BLOB;
UPDATE retention
SET sessions_until = 0, events_until = 0;
