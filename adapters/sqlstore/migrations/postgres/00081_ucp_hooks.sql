-- +goose Up
SET LOCAL lock_timeout = '3s';

-- Agents hear of their orders by the Universal Commerce Protocol, too.
ALTER TABLE checkouts
    DROP CONSTRAINT checkouts_hook,
    ADD CONSTRAINT checkouts_hook CHECK (hook_protocol IN ('', 'haggle', 'ucp')) NOT VALID;
ALTER TABLE orders
    DROP CONSTRAINT orders_hook,
    ADD CONSTRAINT orders_hook CHECK (hook_protocol IN ('', 'haggle', 'ucp')) NOT VALID;
