-- +goose Up
-- Deals that mirror orders in a CRM. They go with their orders, also where a release that does not know them removes those.
CREATE TABLE crm_deals (
    project_id     TEXT    NOT NULL,
    order_id       TEXT    NOT NULL,
    integration_id TEXT    NOT NULL,
    status         TEXT    NOT NULL,
    remote         TEXT    NOT NULL DEFAULT '',
    remote_url     TEXT    NOT NULL DEFAULT '',
    written        TEXT    NOT NULL DEFAULT '',
    named          INTEGER NOT NULL DEFAULT 0,
    unsure_until   INTEGER,
    paused         INTEGER NOT NULL DEFAULT 0,
    problem        TEXT    NOT NULL DEFAULT '',
    failures       INTEGER NOT NULL DEFAULT 0,
    due_at         INTEGER,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    PRIMARY KEY (project_id, order_id),
    CONSTRAINT crm_deals_order FOREIGN KEY (project_id, order_id) REFERENCES orders (project_id, id) ON DELETE CASCADE,
    CONSTRAINT crm_deals_status CHECK (status IN ('pending', 'written', 'refused')),
    CONSTRAINT crm_deals_remote CHECK ((status = 'written') = (remote <> ''))
) STRICT;
CREATE INDEX crm_deals_waiting ON crm_deals (integration_id, due_at) WHERE due_at IS NOT NULL;

-- Apart from may_write_orders: by that a release that does not know deals would take the CRM for the orders' shop.
ALTER TABLE integrations ADD COLUMN may_write_deals INTEGER NOT NULL DEFAULT 0;

-- The planner's figures, as in 00002.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('crm_deals', 'crm_deals_waiting', '10 3 1');
ANALYZE sqlite_schema;
