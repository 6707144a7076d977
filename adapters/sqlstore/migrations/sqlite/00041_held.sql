-- +goose Up
-- Nothing is for sale while more is held or sold than was counted. Nothing has written oversold before.
ALTER TABLE stock DROP COLUMN oversold;
ALTER TABLE stock ADD COLUMN oversold INTEGER NOT NULL DEFAULT 0
    CONSTRAINT stock_oversold CHECK (oversold >= 0)
    CONSTRAINT stock_sold_out CHECK (oversold = 0 OR quantity = 0);
