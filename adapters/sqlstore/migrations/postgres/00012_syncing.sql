-- +goose Up
-- What is synchronised, and how far. refreshing is until when someone is refreshing the access token.
ALTER TABLE integrations
    ADD COLUMN store          TEXT    NOT NULL DEFAULT '',
    ADD COLUMN base_url       TEXT    NOT NULL DEFAULT '',
    ADD COLUMN currency       TEXT    NOT NULL DEFAULT '',
    ADD COLUMN skip_products  BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN skip_orders    BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN skip_customers BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN expires_at     BIGINT, -- of the access token; null: it does not
    ADD COLUMN refreshing     BIGINT,
    ADD COLUMN synced         TEXT    NOT NULL DEFAULT '{}',
    ADD COLUMN last_sync      BIGINT,
    ADD COLUMN wanted         TEXT    NOT NULL DEFAULT '';
CREATE INDEX integrations_wanting ON integrations (project_id, id) WHERE wanted <> '';
CREATE INDEX integrations_expiring ON integrations (expires_at) WHERE expires_at IS NOT NULL;

-- One reading of a platform's data. What is in hand is due when its lease ends.
CREATE TABLE sync_runs (
    project_id     TEXT COLLATE "C" NOT NULL,
    id             TEXT COLLATE "C" NOT NULL,
    integration_id TEXT COLLATE "C" NOT NULL,
    whole          BOOLEAN NOT NULL, -- a full sync
    status         TEXT    NOT NULL CONSTRAINT sync_runs_status CHECK (status IN ('running', 'completed', 'failed', 'canceled')),
    steps          TEXT    NOT NULL,
    error          TEXT    NOT NULL,
    failures       INTEGER NOT NULL,
    started_at     BIGINT  NOT NULL,
    ended_at       BIGINT,
    due_at         BIGINT  NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT sync_runs_ended CHECK ((status = 'running') = (ended_at IS NULL))
);
CREATE UNIQUE INDEX sync_runs_running ON sync_runs (project_id, integration_id) WHERE status = 'running';
CREATE INDEX sync_runs_due ON sync_runs (due_at) WHERE status = 'running';
CREATE INDEX sync_runs_failed ON sync_runs (project_id, integration_id, ended_at) WHERE status = 'failed';
CREATE INDEX sync_runs_newest ON sync_runs (project_id, integration_id, started_at, id);

-- Records that a run did not take, in the order in which they were noted.
CREATE TABLE sync_problems (
    project_id     TEXT COLLATE "C" NOT NULL,
    run_id         TEXT COLLATE "C" NOT NULL,
    number         INTEGER NOT NULL,
    integration_id TEXT COLLATE "C" NOT NULL,
    resource       TEXT    NOT NULL,
    remote         TEXT    NOT NULL,
    reason         TEXT    NOT NULL,
    noted_at       BIGINT  NOT NULL,
    PRIMARY KEY (project_id, run_id, number)
);
CREATE INDEX sync_problems_newest ON sync_problems (project_id, integration_id, noted_at);

-- What is known of platforms' records. There is room for the next version of a row beside it, so that
-- noting that a run saw it touches no index.
CREATE TABLE copies (
    project_id     TEXT COLLATE "C" NOT NULL,
    integration_id TEXT COLLATE "C" NOT NULL,
    resource       TEXT COLLATE "C" NOT NULL,
    remote         TEXT COLLATE "C" NOT NULL,
    local          TEXT COLLATE "C" NOT NULL,
    sku            TEXT    NOT NULL,
    digest         TEXT    NOT NULL,
    prints         BYTEA, -- null: none
    quantity       BIGINT  NOT NULL,
    changed_at     BIGINT, -- at the platform; null: it does not tell
    seen           TEXT COLLATE "C" NOT NULL,
    removed        BOOLEAN NOT NULL,
    email          TEXT COLLATE "C" NOT NULL,
    content        TEXT    NOT NULL, -- of an order or a customer
    updated_at     BIGINT  NOT NULL,
    PRIMARY KEY (project_id, integration_id, resource, remote)
) WITH (fillfactor = 85);
CREATE INDEX copies_local ON copies (project_id, integration_id, resource, local) WHERE NOT removed;
CREATE INDEX copies_customer ON copies (project_id, email) WHERE resource = 'customers' AND email <> '';

-- +goose StatementBegin
DO $$
DECLARE
    guarded TEXT;
BEGIN
    FOREACH guarded IN ARRAY ARRAY['sync_runs', 'sync_problems', 'copies'] LOOP
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
