-- +goose NO TRANSACTION
-- +goose Up
-- What an attempt left that was broken off is removed first.
DROP INDEX CONCURRENTLY IF EXISTS integration_webhooks_due;
CREATE INDEX CONCURRENTLY integration_webhooks_due ON integration_webhooks (integration_id, check_at);
