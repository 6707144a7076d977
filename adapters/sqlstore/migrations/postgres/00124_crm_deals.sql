-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Deals that mirror orders in a CRM. They go with their orders, also where a release that does not know them removes those.
CREATE TABLE crm_deals (
    project_id     TEXT COLLATE "C" NOT NULL,
    order_id       TEXT COLLATE "C" NOT NULL,
    integration_id TEXT COLLATE "C" NOT NULL,
    status         TEXT    NOT NULL,
    remote         TEXT    NOT NULL DEFAULT '',
    remote_url     TEXT    NOT NULL DEFAULT '',
    written        TEXT    NOT NULL DEFAULT '',
    named          BOOLEAN NOT NULL DEFAULT FALSE,
    unsure_until   BIGINT,
    paused         BOOLEAN NOT NULL DEFAULT FALSE,
    problem        TEXT    NOT NULL DEFAULT '',
    failures       INTEGER NOT NULL DEFAULT 0,
    due_at         BIGINT,
    created_at     BIGINT  NOT NULL,
    updated_at     BIGINT  NOT NULL,
    PRIMARY KEY (project_id, order_id),
    CONSTRAINT crm_deals_order FOREIGN KEY (project_id, order_id) REFERENCES orders (project_id, id) ON DELETE CASCADE,
    CONSTRAINT crm_deals_status CHECK (status IN ('pending', 'written', 'refused')),
    CONSTRAINT crm_deals_remote CHECK ((status = 'written') = (remote <> ''))
);
CREATE INDEX crm_deals_waiting ON crm_deals (integration_id, due_at) WHERE due_at IS NOT NULL;

ALTER TABLE crm_deals ENABLE ROW LEVEL SECURITY;
ALTER TABLE crm_deals FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON crm_deals USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON crm_deals TO haggle_app;

-- Apart from may_write_orders: by that a release that does not know deals would take the CRM for the orders' shop.
ALTER TABLE integrations ADD COLUMN may_write_deals BOOLEAN NOT NULL DEFAULT FALSE;
