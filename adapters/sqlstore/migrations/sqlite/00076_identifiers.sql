-- +goose Up
-- Numbers by which anybody knows a variant.
ALTER TABLE variants ADD COLUMN gtin TEXT NOT NULL DEFAULT '' CONSTRAINT variants_gtin CHECK (gtin = '' OR (length(gtin) IN (8, 12, 13, 14) AND gtin NOT GLOB '*[^0-9]*'));
ALTER TABLE variants ADD COLUMN mpn TEXT NOT NULL DEFAULT '';
