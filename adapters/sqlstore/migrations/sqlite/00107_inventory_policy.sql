-- +goose Up
-- What the stock of a variant means for its sale: it is sold while there is some, whatever there is, or beyond what there is.
ALTER TABLE variants ADD COLUMN inventory_policy TEXT NOT NULL DEFAULT 'tracked' CONSTRAINT variants_inventory_policy CHECK (inventory_policy IN ('tracked', 'always_available', 'backorder'));
