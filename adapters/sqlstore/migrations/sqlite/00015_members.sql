-- +goose Up
-- What the merchant's systems know of a session's buyer, for whom the merchant has vouched.
ALTER TABLE sessions ADD COLUMN member_tier TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN member_purchases INTEGER NOT NULL DEFAULT 0;
