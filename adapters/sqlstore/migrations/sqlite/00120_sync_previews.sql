-- +goose Up
-- A run that stores nothing but its counters.
ALTER TABLE sync_runs ADD COLUMN preview INTEGER NOT NULL DEFAULT 0;
