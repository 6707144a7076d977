-- +goose Up
-- The counterparts of orders at the e-commerce platforms that their goods come from.
CREATE TABLE platform_orders (
    project_id     TEXT    NOT NULL REFERENCES projects (id),
    order_id       TEXT    NOT NULL,
    integration_id TEXT    NOT NULL,
    status         TEXT    NOT NULL,
    remote         TEXT    NOT NULL DEFAULT '',
    remote_name    TEXT    NOT NULL DEFAULT '',
    remote_url     TEXT    NOT NULL DEFAULT '',
    told           TEXT    NOT NULL DEFAULT '{}',
    moved          TEXT    NOT NULL DEFAULT '[]',
    problem        TEXT    NOT NULL DEFAULT '',
    failures       INTEGER NOT NULL DEFAULT 0,
    due_at         INTEGER,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    PRIMARY KEY (project_id, order_id),
    CONSTRAINT platform_orders_order FOREIGN KEY (project_id, order_id) REFERENCES orders (project_id, id),
    CONSTRAINT platform_orders_status CHECK (status IN ('pending', 'written', 'refused', 'skipped')),
    CONSTRAINT platform_orders_remote CHECK ((status = 'written') = (remote <> ''))
) STRICT;
CREATE INDEX platform_orders_waiting ON platform_orders (integration_id, due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX platform_orders_remote_once ON platform_orders (project_id, integration_id, remote) WHERE remote <> '';

-- Whether the platform lets us write orders, whether the merchant does not want it, and what becomes of one that the platform refuses.
ALTER TABLE integrations ADD COLUMN skip_writing INTEGER NOT NULL DEFAULT 0;
ALTER TABLE integrations ADD COLUMN may_write_orders INTEGER NOT NULL DEFAULT 0;
ALTER TABLE integrations ADD COLUMN refused_orders TEXT NOT NULL DEFAULT 'keep' CONSTRAINT integrations_refused_orders CHECK (refused_orders IN ('keep', 'refund'));

-- The planner's figures, as in 00002.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('platform_orders', 'platform_orders_waiting', '10 3 1');
ANALYZE sqlite_schema;
