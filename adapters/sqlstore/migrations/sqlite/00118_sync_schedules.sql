-- +goose Up
-- A cron expression by which the platform is read, and when it is the next time.
ALTER TABLE integrations ADD COLUMN sync_schedule TEXT NOT NULL DEFAULT '';
ALTER TABLE integrations ADD COLUMN next_sync INTEGER;
