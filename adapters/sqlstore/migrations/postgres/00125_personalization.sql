-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- The personal signals that moved a quote's price, as names with commas between them, and the buyer's region then.
ALTER TABLE quotes ADD COLUMN personal TEXT NOT NULL DEFAULT '';
ALTER TABLE quotes ADD COLUMN personal_region TEXT NOT NULL DEFAULT '';
