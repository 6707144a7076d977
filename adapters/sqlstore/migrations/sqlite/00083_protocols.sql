-- +goose Up
-- By which protocol an agent spoke: when it opened a session, when it opened a checkout, and of the checkout that was bought.
ALTER TABLE sessions ADD COLUMN protocol TEXT NOT NULL DEFAULT 'haggle' CONSTRAINT sessions_protocol CHECK (protocol IN ('haggle', 'ucp', 'mcp'));
ALTER TABLE checkouts ADD COLUMN protocol TEXT NOT NULL DEFAULT 'haggle' CONSTRAINT checkouts_protocol CHECK (protocol IN ('haggle', 'ucp', 'mcp'));
ALTER TABLE orders ADD COLUMN protocol TEXT NOT NULL DEFAULT 'haggle' CONSTRAINT orders_protocol CHECK (protocol IN ('haggle', 'ucp', 'mcp'));

-- Of the sessions that are not kept any longer, those by another protocol than Haggle's own.
ALTER TABLE analytics_slots ADD COLUMN sessions_ucp INTEGER NOT NULL DEFAULT 0;
ALTER TABLE analytics_slots ADD COLUMN sessions_mcp INTEGER NOT NULL DEFAULT 0;
