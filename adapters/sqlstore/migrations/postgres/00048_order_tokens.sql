-- +goose Up
SET LOCAL lock_timeout = '3s';

-- The salt and hash of the buyer's manage token; empty in orders of earlier releases, which have none.
ALTER TABLE orders
    ADD COLUMN token_salt TEXT NOT NULL DEFAULT '',
    ADD COLUMN token_hash TEXT NOT NULL DEFAULT '';
