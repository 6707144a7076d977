-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- What the stock of a variant means for its sale: it is sold while there is some, whatever there is, or beyond what there is.
ALTER TABLE variants ADD COLUMN inventory_policy TEXT COLLATE "C" NOT NULL DEFAULT 'tracked';
ALTER TABLE variants ADD CONSTRAINT variants_inventory_policy CHECK (inventory_policy IN ('tracked', 'always_available', 'backorder')) NOT VALID;
