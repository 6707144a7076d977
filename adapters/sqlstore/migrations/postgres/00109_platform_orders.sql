-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- The counterparts of orders at the e-commerce platforms that their goods come from.
CREATE TABLE platform_orders (
    project_id     TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    order_id       TEXT COLLATE "C" NOT NULL,
    integration_id TEXT COLLATE "C" NOT NULL,
    status         TEXT    NOT NULL,
    remote         TEXT    NOT NULL DEFAULT '',
    remote_name    TEXT    NOT NULL DEFAULT '',
    remote_url     TEXT    NOT NULL DEFAULT '',
    told           TEXT    NOT NULL DEFAULT '{}',
    moved          TEXT    NOT NULL DEFAULT '[]',
    problem        TEXT    NOT NULL DEFAULT '',
    failures       INTEGER NOT NULL DEFAULT 0,
    due_at         BIGINT,
    created_at     BIGINT  NOT NULL,
    updated_at     BIGINT  NOT NULL,
    PRIMARY KEY (project_id, order_id),
    CONSTRAINT platform_orders_order FOREIGN KEY (project_id, order_id) REFERENCES orders (project_id, id),
    CONSTRAINT platform_orders_status CHECK (status IN ('pending', 'written', 'refused', 'skipped')),
    CONSTRAINT platform_orders_remote CHECK ((status = 'written') = (remote <> ''))
);
CREATE INDEX platform_orders_waiting ON platform_orders (integration_id, due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX platform_orders_remote_once ON platform_orders (project_id, integration_id, remote) WHERE remote <> '';

ALTER TABLE platform_orders ENABLE ROW LEVEL SECURITY;
ALTER TABLE platform_orders FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON platform_orders USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON platform_orders TO haggle_app;

-- Whether the platform lets us write orders, whether the merchant does not want it, and what becomes of one that the platform refuses.
ALTER TABLE integrations ADD COLUMN skip_writing BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE integrations ADD COLUMN may_write_orders BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE integrations ADD COLUMN refused_orders TEXT COLLATE "C" NOT NULL DEFAULT 'keep';
ALTER TABLE integrations ADD CONSTRAINT integrations_refused_orders CHECK (refused_orders IN ('keep', 'refund')) NOT VALID;
