-- +goose Up
-- Where alerts go by mail; empty: to the installation's own address.
ALTER TABLE accounts ADD COLUMN email TEXT NOT NULL DEFAULT '';

-- To whom events go. Secrets are sealed. The one before is valid until previous_end.
CREATE TABLE event_subscriptions (
    project_id   TEXT NOT NULL REFERENCES projects (id),
    id           TEXT NOT NULL,
    url          TEXT   NOT NULL,
    description  TEXT   NOT NULL,
    types        TEXT   NOT NULL,
    status       TEXT   NOT NULL CONSTRAINT event_subscriptions_status CHECK (status IN ('active', 'disabled')),
    reason       TEXT   NOT NULL,
    secret       BLOB   NOT NULL,
    previous     BLOB,
    previous_end INTEGER,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    PRIMARY KEY (project_id, id)
) STRICT;

-- One event on its way to one target. queue is the project and its target: deliveries of a queue wait
-- for each other, those of others do not. What is in hand is due when its lease ends. Rows stay.
CREATE TABLE deliveries (
    project_id   TEXT NOT NULL,
    id           TEXT NOT NULL,
    event_id     TEXT NOT NULL,
    type         TEXT    NOT NULL,
    queue        TEXT NOT NULL,
    status       TEXT    NOT NULL CONSTRAINT deliveries_status CHECK (status IN ('pending', 'delivered', 'failed', 'canceled')),
    attempts     INTEGER NOT NULL,
    tries        INTEGER NOT NULL,
    since        INTEGER,
    due_at       INTEGER, -- null: nothing left to do
    last_code    INTEGER NOT NULL,
    last_error   TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    delivered_at INTEGER,
    PRIMARY KEY (project_id, id),
    CONSTRAINT deliveries_once UNIQUE (project_id, event_id, queue),
    CONSTRAINT deliveries_due CHECK ((status = 'pending') = (due_at IS NOT NULL)),
    CONSTRAINT deliveries_counted CHECK (tries BETWEEN 0 AND attempts)
) STRICT;
CREATE INDEX deliveries_waiting ON deliveries (queue, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_newest ON deliveries (project_id, queue, created_at, id);

-- The outbox is also the log of events.
CREATE INDEX outbox_newest ON outbox (project_id, created_at, id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('event_subscriptions', 'sqlite_autoindex_event_subscriptions_1', '100 50 1'),
    ('deliveries', 'sqlite_autoindex_deliveries_1', '60000 30000 1'),
    ('deliveries', 'sqlite_autoindex_deliveries_2', '60000 30000 2 1'),
    ('deliveries', 'deliveries_waiting', '1000 100 1'),
    ('deliveries', 'deliveries_newest', '60000 30000 10000 1 1'),
    ('outbox', 'outbox_newest', '30000 15000 1 1');
ANALYZE sqlite_schema;
