-- +goose Up
-- How many more pieces payment attempts held when a level was set than the level has. What they give back goes
-- here first, so that it is not sold beyond what was counted.
ALTER TABLE stock ADD COLUMN oversold INTEGER NOT NULL DEFAULT 0 CONSTRAINT stock_oversold CHECK (oversold >= 0);
