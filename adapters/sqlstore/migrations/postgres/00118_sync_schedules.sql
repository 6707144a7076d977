-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- A cron expression by which the platform is read, and when it is the next time.
ALTER TABLE integrations ADD COLUMN sync_schedule TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE integrations ADD COLUMN next_sync BIGINT;
