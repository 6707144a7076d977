-- +goose Up
-- By which the token of an agreed price can be made again; empty: it cannot.
ALTER TABLE quotes ADD COLUMN token_salt TEXT NOT NULL DEFAULT '';

-- What of its cart is not as its sender may think, as JSON: it keeps the checkout from being paid.
ALTER TABLE checkouts ADD COLUMN cart_problems TEXT NOT NULL DEFAULT '[]';
