-- +goose NO TRANSACTION
-- +goose Up
-- What an attempt left that was broken off is removed first.
DROP INDEX CONCURRENTLY IF EXISTS integrations_store;
CREATE INDEX CONCURRENTLY integrations_store ON integrations (type, store) WHERE store <> '';
