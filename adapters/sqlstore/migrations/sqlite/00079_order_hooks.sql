-- +goose Up
-- The agent that acts for a buyer: its profile, whether it proved to be that one, and by which key.
ALTER TABLE sessions ADD COLUMN agent_profile TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN agent_verified INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN agent_key TEXT NOT NULL DEFAULT '' CONSTRAINT sessions_agent CHECK (agent_verified OR agent_key = '');

-- hook_protocol and hook_url are where the agent wants to hear of the order; empty: nowhere.
ALTER TABLE checkouts ADD COLUMN agent_profile TEXT NOT NULL DEFAULT '';
ALTER TABLE checkouts ADD COLUMN agent_verified INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checkouts ADD COLUMN agent_key TEXT NOT NULL DEFAULT '' CONSTRAINT checkouts_agent CHECK (agent_verified OR agent_key = '');
ALTER TABLE checkouts ADD COLUMN hook_protocol TEXT NOT NULL DEFAULT '' CONSTRAINT checkouts_hook CHECK (hook_protocol IN ('', 'haggle'));
ALTER TABLE checkouts ADD COLUMN hook_url TEXT NOT NULL DEFAULT '' CONSTRAINT checkouts_hook_of CHECK (hook_protocol <> '' OR hook_url = '');

-- hook_ended_at is since when it does not want to any more.
ALTER TABLE orders ADD COLUMN agent_profile TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN agent_verified INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN agent_key TEXT NOT NULL DEFAULT '' CONSTRAINT orders_agent CHECK (agent_verified OR agent_key = '');
ALTER TABLE orders ADD COLUMN hook_protocol TEXT NOT NULL DEFAULT '' CONSTRAINT orders_hook CHECK (hook_protocol IN ('', 'haggle'));
ALTER TABLE orders ADD COLUMN hook_url TEXT NOT NULL DEFAULT '' CONSTRAINT orders_hook_of CHECK (hook_protocol <> '' OR hook_url = '');
ALTER TABLE orders ADD COLUMN hook_ended_at INTEGER;

-- The target of an event that the hook of its order is to hear of; empty: none is.
ALTER TABLE outbox ADD COLUMN hook TEXT NOT NULL DEFAULT '';
