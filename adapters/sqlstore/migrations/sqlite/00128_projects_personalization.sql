-- +goose Up
-- The shop's rules for personal signals, as JSON; '' means the default rules. They are not in storefront, because programs of
-- earlier releases rewrite that without what they do not know.
ALTER TABLE projects ADD COLUMN personalization TEXT NOT NULL DEFAULT '';
