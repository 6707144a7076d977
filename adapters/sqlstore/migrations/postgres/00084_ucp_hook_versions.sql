-- +goose Up
SET LOCAL lock_timeout = '3s';

-- Agents hear of their orders in the version of the Universal Commerce Protocol that they speak.
ALTER TABLE checkouts
    DROP CONSTRAINT checkouts_hook,
    ADD CONSTRAINT checkouts_hook CHECK (hook_protocol IN ('', 'haggle', 'ucp', 'ucp_2026_04_08')) NOT VALID;
ALTER TABLE orders
    DROP CONSTRAINT orders_hook,
    ADD CONSTRAINT orders_hook CHECK (hook_protocol IN ('', 'haggle', 'ucp', 'ucp_2026_04_08')) NOT VALID;
