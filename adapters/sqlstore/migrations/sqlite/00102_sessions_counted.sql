-- +goose Up
-- Sessions that began before this time are counted in the slots of analytics.
ALTER TABLE retention ADD COLUMN sessions_counted INTEGER NOT NULL DEFAULT 0;
