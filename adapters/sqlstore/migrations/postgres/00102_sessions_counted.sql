-- +goose Up
SET LOCAL lock_timeout = '3s';

-- Sessions that began before this time are counted in the slots of analytics.
ALTER TABLE retention ADD COLUMN sessions_counted BIGINT NOT NULL DEFAULT 0;
