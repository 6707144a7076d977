-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- A run that stores nothing but its counters.
ALTER TABLE sync_runs ADD COLUMN preview BOOLEAN NOT NULL DEFAULT FALSE;
