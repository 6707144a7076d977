-- +goose Up
-- What a merchant should know of a run that went on all the same: fields that the platform does not show the app.
ALTER TABLE sync_runs ADD COLUMN notices TEXT NOT NULL DEFAULT '[]';
