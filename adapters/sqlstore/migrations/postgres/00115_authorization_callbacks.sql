-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- The query with which the platform sent the merchant back, sealed.
ALTER TABLE authorizations ADD COLUMN callback BYTEA;
