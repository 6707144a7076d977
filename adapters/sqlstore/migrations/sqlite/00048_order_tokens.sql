-- +goose Up
-- The salt and hash of the buyer's manage token; empty in orders of earlier releases, which have none.
ALTER TABLE orders ADD COLUMN token_salt TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN token_hash TEXT NOT NULL DEFAULT '';
