-- +goose Up
SET LOCAL haggle.project_id = '*';

-- When the attempt in flight, or the last one, was claimed, by the database's clock.
ALTER TABLE checkouts ADD COLUMN claimed_at BIGINT;
