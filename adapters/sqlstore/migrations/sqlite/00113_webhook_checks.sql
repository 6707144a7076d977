-- +goose Up
-- What checks of webhooks at their platforms have found out. Those from before are due at once.
ALTER TABLE integration_webhooks ADD COLUMN problem TEXT NOT NULL DEFAULT '';
ALTER TABLE integration_webhooks ADD COLUMN checked_at INTEGER;
ALTER TABLE integration_webhooks ADD COLUMN restored_at INTEGER;
ALTER TABLE integration_webhooks ADD COLUMN check_at INTEGER NOT NULL DEFAULT 0;
