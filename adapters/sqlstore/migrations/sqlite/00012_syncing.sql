-- +goose Up
-- What is synchronised, and how far. refreshing is until when someone is refreshing the access token.
ALTER TABLE integrations ADD COLUMN store TEXT NOT NULL DEFAULT '';
ALTER TABLE integrations ADD COLUMN base_url TEXT NOT NULL DEFAULT '';
ALTER TABLE integrations ADD COLUMN currency TEXT NOT NULL DEFAULT '';
ALTER TABLE integrations ADD COLUMN skip_products INTEGER NOT NULL DEFAULT 0;
ALTER TABLE integrations ADD COLUMN skip_orders INTEGER NOT NULL DEFAULT 0;
ALTER TABLE integrations ADD COLUMN skip_customers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE integrations ADD COLUMN expires_at INTEGER; -- of the access token; null: it does not
ALTER TABLE integrations ADD COLUMN refreshing INTEGER;
ALTER TABLE integrations ADD COLUMN synced TEXT NOT NULL DEFAULT '{}';
ALTER TABLE integrations ADD COLUMN last_sync INTEGER;
ALTER TABLE integrations ADD COLUMN wanted TEXT NOT NULL DEFAULT '';
CREATE INDEX integrations_wanting ON integrations (project_id, id) WHERE wanted <> '';
CREATE INDEX integrations_expiring ON integrations (expires_at) WHERE expires_at IS NOT NULL;

-- One reading of a platform's data. What is in hand is due when its lease ends.
CREATE TABLE sync_runs (
    project_id     TEXT NOT NULL,
    id             TEXT NOT NULL,
    integration_id TEXT NOT NULL,
    whole          INTEGER NOT NULL, -- a full sync
    status         TEXT NOT NULL CONSTRAINT sync_runs_status CHECK (status IN ('running', 'completed', 'failed', 'canceled')),
    steps          TEXT NOT NULL,
    error          TEXT NOT NULL,
    failures       INTEGER NOT NULL,
    started_at     INTEGER NOT NULL,
    ended_at       INTEGER,
    due_at         INTEGER NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT sync_runs_ended CHECK ((status = 'running') = (ended_at IS NULL))
) STRICT;
CREATE UNIQUE INDEX sync_runs_running ON sync_runs (project_id, integration_id) WHERE status = 'running';
CREATE INDEX sync_runs_due ON sync_runs (due_at) WHERE status = 'running';
CREATE INDEX sync_runs_failed ON sync_runs (project_id, integration_id, ended_at) WHERE status = 'failed';
CREATE INDEX sync_runs_newest ON sync_runs (project_id, integration_id, started_at, id);

-- Records that a run did not take, in the order in which they were noted.
CREATE TABLE sync_problems (
    project_id     TEXT NOT NULL,
    run_id         TEXT NOT NULL,
    number         INTEGER NOT NULL,
    integration_id TEXT NOT NULL,
    resource       TEXT NOT NULL,
    remote         TEXT NOT NULL,
    reason         TEXT NOT NULL,
    noted_at       INTEGER NOT NULL,
    PRIMARY KEY (project_id, run_id, number)
) STRICT;
CREATE INDEX sync_problems_newest ON sync_problems (project_id, integration_id, noted_at);

-- What is known of platforms' records.
CREATE TABLE copies (
    project_id     TEXT NOT NULL,
    integration_id TEXT NOT NULL,
    resource       TEXT NOT NULL,
    remote         TEXT NOT NULL,
    local          TEXT NOT NULL,
    sku            TEXT NOT NULL,
    digest         TEXT NOT NULL,
    prints         BLOB, -- null: none
    quantity       INTEGER NOT NULL,
    changed_at     INTEGER, -- at the platform; null: it does not tell
    seen           TEXT NOT NULL,
    removed        INTEGER NOT NULL,
    email          TEXT NOT NULL,
    content        TEXT NOT NULL, -- of an order or a customer
    updated_at     INTEGER NOT NULL,
    PRIMARY KEY (project_id, integration_id, resource, remote)
) STRICT;
CREATE INDEX copies_local ON copies (project_id, integration_id, resource, local) WHERE NOT removed;
CREATE INDEX copies_customer ON copies (project_id, email) WHERE resource = 'customers' AND email <> '';

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('integrations', 'integrations_wanting', '10 5 1'),
    ('integrations', 'integrations_expiring', '100 1'),
    ('sync_runs', 'sqlite_autoindex_sync_runs_1', '20000 10000 1'),
    ('sync_runs', 'sync_runs_running', '10 5 1'),
    ('sync_runs', 'sync_runs_due', '10 1'),
    ('sync_runs', 'sync_runs_failed', '200 100 50 1'),
    ('sync_runs', 'sync_runs_newest', '20000 10000 5000 1 1'),
    ('sync_problems', 'sqlite_autoindex_sync_problems_1', '100000 50000 100 1'),
    ('sync_problems', 'sync_problems_newest', '100000 50000 20000 100'),
    ('copies', 'sqlite_autoindex_copies_1', '300000 150000 100000 40000 1'),
    ('copies', 'copies_local', '300000 150000 100000 40000 10'),
    ('copies', 'copies_customer', '50000 25000 1');
ANALYZE sqlite_schema;
