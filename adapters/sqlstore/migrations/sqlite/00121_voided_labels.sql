-- +goose Up
-- When others may void a label that is being voided, when it was voided, and the labels that were voided before it.
ALTER TABLE labels ADD COLUMN void_due_at INTEGER;
ALTER TABLE labels ADD COLUMN voided_at INTEGER;
ALTER TABLE labels ADD COLUMN former TEXT NOT NULL DEFAULT '[]';
