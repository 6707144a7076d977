-- +goose NO TRANSACTION
-- +goose Up
-- What an attempt left that was broken off is removed first.
DROP INDEX CONCURRENTLY IF EXISTS integrations_scheduled;
CREATE INDEX CONCURRENTLY integrations_scheduled ON integrations (next_sync) WHERE sync_schedule <> '';
