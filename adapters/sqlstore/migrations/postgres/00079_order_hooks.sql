-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- The agent that acts for a buyer: its profile, whether it proved to be that one, and by which key.
ALTER TABLE sessions
    ADD COLUMN agent_profile  TEXT    NOT NULL DEFAULT '',
    ADD COLUMN agent_verified BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN agent_key      TEXT    NOT NULL DEFAULT '' CONSTRAINT sessions_agent CHECK (agent_verified OR agent_key = '');

-- hook_protocol and hook_url are where the agent wants to hear of the order; empty: nowhere.
ALTER TABLE checkouts
    ADD COLUMN agent_profile  TEXT    NOT NULL DEFAULT '',
    ADD COLUMN agent_verified BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN agent_key      TEXT    NOT NULL DEFAULT '' CONSTRAINT checkouts_agent CHECK (agent_verified OR agent_key = ''),
    ADD COLUMN hook_protocol  TEXT    NOT NULL DEFAULT '' CONSTRAINT checkouts_hook CHECK (hook_protocol IN ('', 'haggle')),
    ADD COLUMN hook_url       TEXT    NOT NULL DEFAULT '' CONSTRAINT checkouts_hook_of CHECK (hook_protocol <> '' OR hook_url = '');

-- hook_ended_at is since when it does not want to any more.
ALTER TABLE orders
    ADD COLUMN agent_profile  TEXT    NOT NULL DEFAULT '',
    ADD COLUMN agent_verified BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN agent_key      TEXT    NOT NULL DEFAULT '' CONSTRAINT orders_agent CHECK (agent_verified OR agent_key = ''),
    ADD COLUMN hook_protocol  TEXT    NOT NULL DEFAULT '' CONSTRAINT orders_hook CHECK (hook_protocol IN ('', 'haggle')),
    ADD COLUMN hook_url       TEXT    NOT NULL DEFAULT '' CONSTRAINT orders_hook_of CHECK (hook_protocol <> '' OR hook_url = ''),
    ADD COLUMN hook_ended_at  BIGINT;

-- The target of an event that the hook of its order is to hear of; empty: none is.
ALTER TABLE outbox ADD COLUMN hook TEXT COLLATE "C" NOT NULL DEFAULT '';
