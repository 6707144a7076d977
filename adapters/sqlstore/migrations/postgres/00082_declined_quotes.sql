-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Why the buyer gave up; empty: it did not, or did not say.
ALTER TABLE quotes
    ADD COLUMN declined_for TEXT NOT NULL DEFAULT '',
    DROP CONSTRAINT quotes_state,
    ADD CONSTRAINT quotes_state CHECK (state IN ('open', 'accepted', 'superseded', 'declined')) NOT VALID;
