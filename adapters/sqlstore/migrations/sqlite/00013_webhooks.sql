-- +goose Up
-- Consents that platforms were asked for, by the hash of their state. Each is redeemed once.
CREATE TABLE authorizations (
    state        TEXT NOT NULL PRIMARY KEY,
    project_id   TEXT NOT NULL REFERENCES projects (id),
    account_id   TEXT NOT NULL,
    type         TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    store        TEXT NOT NULL,
    verifier     BLOB, -- sealed
    created_at   INTEGER NOT NULL,
    used_at      INTEGER
) STRICT;
CREATE INDEX authorizations_project ON authorizations (project_id);
CREATE INDEX authorizations_oldest ON authorizations (created_at);

-- The addresses at which a platform tells of topics.
CREATE TABLE integration_webhooks (
    project_id     TEXT NOT NULL,
    id             TEXT NOT NULL,
    integration_id TEXT NOT NULL,
    type           TEXT NOT NULL,
    topic          TEXT NOT NULL,
    actions        TEXT NOT NULL,
    remote         TEXT NOT NULL,
    signing        BLOB, -- sealed
    status         TEXT NOT NULL CONSTRAINT integration_webhooks_status CHECK (status IN ('active', 'failed')),
    created_at     INTEGER NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT integration_webhooks_topic UNIQUE (project_id, integration_id, topic),
    FOREIGN KEY (project_id, integration_id) REFERENCES integrations (project_id, id)
) STRICT;
CREATE UNIQUE INDEX integration_webhooks_called ON integration_webhooks (id);

-- What came to them: a log, and what waits to be worked on. What is in hand is due when its lease ends.
-- Rows refer to no other table's: they are written at the rate of calls, and outlive their webhooks.
CREATE TABLE webhook_deliveries (
    project_id     TEXT NOT NULL,
    id             TEXT NOT NULL,
    integration_id TEXT NOT NULL,
    webhook_id     TEXT NOT NULL,
    topic          TEXT NOT NULL,
    remote         TEXT NOT NULL, -- empty: the platform names no delivery
    at             INTEGER,
    status         TEXT NOT NULL,
    error          TEXT NOT NULL,
    retries        INTEGER NOT NULL,
    size           INTEGER NOT NULL,
    payload        BLOB,
    received_at    INTEGER NOT NULL,
    due_at         INTEGER, -- null: nothing left to do
    PRIMARY KEY (project_id, id),
    CONSTRAINT webhook_deliveries_status CHECK (status IN ('received', 'processed', 'failed', 'rejected', 'duplicate')),
    CONSTRAINT webhook_deliveries_due CHECK ((status = 'received') = (due_at IS NOT NULL)),
    CONSTRAINT webhook_deliveries_payload CHECK (payload IS NULL OR status IN ('received', 'failed')),
    CONSTRAINT webhook_deliveries_rejected CHECK (status <> 'rejected' OR remote = '')
) STRICT;
CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (project_id, webhook_id, remote)
    WHERE remote <> '' AND status <> 'duplicate';
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_oldest ON webhook_deliveries (received_at) WHERE due_at IS NULL;
-- With the status, so that rows of a status are counted without their payloads.
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (project_id, integration_id, received_at, id, status);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('authorizations', 'sqlite_autoindex_authorizations_1', '1000 1'),
    ('authorizations', 'authorizations_project', '1000 500'),
    ('authorizations', 'authorizations_oldest', '1000 1'),
    ('integration_webhooks', 'sqlite_autoindex_integration_webhooks_1', '1000 500 1'),
    ('integration_webhooks', 'sqlite_autoindex_integration_webhooks_2', '1000 500 10 1'),
    ('integration_webhooks', 'integration_webhooks_called', '1000 1'),
    ('webhook_deliveries', 'sqlite_autoindex_webhook_deliveries_1', '1000000 500000 1'),
    ('webhook_deliveries', 'webhook_deliveries_once', '900000 450000 50000 1'),
    ('webhook_deliveries', 'webhook_deliveries_waiting', '1000 1'),
    ('webhook_deliveries', 'webhook_deliveries_oldest', '999000 1'),
    ('webhook_deliveries', 'webhook_deliveries_newest', '1000000 500000 200000 1 1 1');
ANALYZE sqlite_schema;
