-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- When others may void a label that is being voided, when it was voided, and the labels that were voided before it.
ALTER TABLE labels ADD COLUMN void_due_at BIGINT;
ALTER TABLE labels ADD COLUMN voided_at BIGINT;
ALTER TABLE labels ADD COLUMN former TEXT COLLATE "C" NOT NULL DEFAULT '[]';
