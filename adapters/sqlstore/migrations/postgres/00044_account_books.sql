-- +goose Up
SET LOCAL lock_timeout = '3s';

-- Until when an integration has booked what changes its account without a charge, such as payouts; null: it has not.
-- Until now each has booked it.
ALTER TABLE reconciliations ADD COLUMN account_until BIGINT;
UPDATE reconciliations SET account_until = booked_until;
