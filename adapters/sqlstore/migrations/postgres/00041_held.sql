-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';
-- Nothing is for sale while more is held or sold than was counted.
ALTER TABLE stock ADD CONSTRAINT stock_sold_out CHECK (oversold = 0 OR quantity = 0) NOT VALID;
