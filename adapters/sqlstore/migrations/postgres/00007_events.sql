-- +goose Up
-- Where alerts go by mail; empty: to the installation's own address.
ALTER TABLE accounts ADD COLUMN email TEXT NOT NULL DEFAULT '';

-- To whom events go. Secrets are sealed. The one before is valid until previous_end.
CREATE TABLE event_subscriptions (
    project_id   TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id           TEXT COLLATE "C" NOT NULL,
    url          TEXT   NOT NULL,
    description  TEXT   NOT NULL,
    types        TEXT   NOT NULL,
    status       TEXT   NOT NULL CONSTRAINT event_subscriptions_status CHECK (status IN ('active', 'disabled')),
    reason       TEXT   NOT NULL,
    secret       BYTEA  NOT NULL,
    previous     BYTEA,
    previous_end BIGINT,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (project_id, id)
);

-- One event on its way to one target. queue is the project and its target: deliveries of a queue wait
-- for each other, those of others do not. What is in hand is due when its lease ends. Rows stay.
CREATE TABLE deliveries (
    project_id   TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    event_id     TEXT COLLATE "C" NOT NULL,
    type         TEXT    NOT NULL,
    queue        TEXT COLLATE "C" NOT NULL,
    status       TEXT    NOT NULL CONSTRAINT deliveries_status CHECK (status IN ('pending', 'delivered', 'failed', 'canceled')),
    attempts     INTEGER NOT NULL,
    tries        INTEGER NOT NULL,
    since        BIGINT,
    due_at       BIGINT, -- null: nothing left to do
    last_code    INTEGER NOT NULL,
    last_error   TEXT    NOT NULL,
    created_at   BIGINT  NOT NULL,
    delivered_at BIGINT,
    PRIMARY KEY (project_id, id),
    CONSTRAINT deliveries_once UNIQUE (project_id, event_id, queue),
    CONSTRAINT deliveries_due CHECK ((status = 'pending') = (due_at IS NOT NULL)),
    CONSTRAINT deliveries_counted CHECK (tries BETWEEN 0 AND attempts)
);
CREATE INDEX deliveries_waiting ON deliveries (queue, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_newest ON deliveries (project_id, queue, created_at, id);

-- The outbox is also the log of events.
CREATE INDEX outbox_newest ON outbox (project_id, created_at, id);

-- +goose StatementBegin
DO $$
DECLARE
    guarded TEXT;
BEGIN
    FOREACH guarded IN ARRAY ARRAY['event_subscriptions', 'deliveries'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
        EXECUTE format($policy$
            CREATE POLICY own_project ON %I USING (
                project_id = current_setting('haggle.project_id', true)
                OR current_setting('haggle.project_id', true) = '*'
            )$policy$, guarded);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO haggle_app', guarded);
    END LOOP;
END
$$;
-- +goose StatementEnd
