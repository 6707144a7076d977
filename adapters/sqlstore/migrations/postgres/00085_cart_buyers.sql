-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Who buys, as a cart says before there is a checkout of it.
ALTER TABLE sessions
    ADD COLUMN buyer_first TEXT NOT NULL DEFAULT '',
    ADD COLUMN buyer_last TEXT NOT NULL DEFAULT '',
    ADD COLUMN buyer_email TEXT NOT NULL DEFAULT '',
    ADD COLUMN buyer_phone TEXT NOT NULL DEFAULT '';

CREATE INDEX sessions_email ON sessions (project_id, lower(buyer_email COLLATE "C"), id) WHERE buyer_email <> '';
