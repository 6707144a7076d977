-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- What checks of webhooks at their platforms have found out. Those from before are due at once.
ALTER TABLE integration_webhooks ADD COLUMN problem TEXT NOT NULL DEFAULT '';
ALTER TABLE integration_webhooks ADD COLUMN checked_at BIGINT;
ALTER TABLE integration_webhooks ADD COLUMN restored_at BIGINT;
ALTER TABLE integration_webhooks ADD COLUMN check_at BIGINT NOT NULL DEFAULT 0;
