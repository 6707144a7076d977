-- +goose Up
-- Who buys, as a cart says before there is a checkout of it.
ALTER TABLE sessions ADD COLUMN buyer_first TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN buyer_last TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN buyer_email TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN buyer_phone TEXT NOT NULL DEFAULT '';

CREATE INDEX sessions_email ON sessions (project_id, lower(buyer_email), id) WHERE buyer_email <> '';
