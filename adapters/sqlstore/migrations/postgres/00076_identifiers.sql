-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Numbers by which anybody knows a variant.
ALTER TABLE variants
    ADD COLUMN gtin TEXT NOT NULL DEFAULT '' CONSTRAINT variants_gtin CHECK (gtin = '' OR gtin ~ '^([0-9]{8}|[0-9]{12,14})$'),
    ADD COLUMN mpn  TEXT NOT NULL DEFAULT '';
