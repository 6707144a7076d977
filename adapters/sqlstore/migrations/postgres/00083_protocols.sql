-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- By which protocol an agent spoke: when it opened a session, when it opened a checkout, and of the checkout that was bought.
ALTER TABLE sessions
    ADD COLUMN protocol TEXT NOT NULL DEFAULT 'haggle',
    ADD CONSTRAINT sessions_protocol CHECK (protocol IN ('haggle', 'ucp', 'mcp')) NOT VALID;
ALTER TABLE checkouts
    ADD COLUMN protocol TEXT NOT NULL DEFAULT 'haggle',
    ADD CONSTRAINT checkouts_protocol CHECK (protocol IN ('haggle', 'ucp', 'mcp')) NOT VALID;
ALTER TABLE orders
    ADD COLUMN protocol TEXT NOT NULL DEFAULT 'haggle',
    ADD CONSTRAINT orders_protocol CHECK (protocol IN ('haggle', 'ucp', 'mcp')) NOT VALID;

-- Of the sessions that are not kept any longer, those by another protocol than Haggle's own.
ALTER TABLE analytics_slots
    ADD COLUMN sessions_ucp BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sessions_mcp BIGINT NOT NULL DEFAULT 0;
