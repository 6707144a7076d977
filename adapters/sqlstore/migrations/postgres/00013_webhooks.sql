-- +goose Up
-- Consents that platforms were asked for, by the hash of their state. Each is redeemed once.
CREATE TABLE authorizations (
    state        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    project_id   TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    account_id   TEXT COLLATE "C" NOT NULL,
    type         TEXT   NOT NULL,
    redirect_uri TEXT   NOT NULL,
    store        TEXT   NOT NULL,
    verifier     BYTEA, -- sealed
    created_at   BIGINT NOT NULL,
    used_at      BIGINT
);
CREATE INDEX authorizations_project ON authorizations (project_id);
CREATE INDEX authorizations_oldest ON authorizations (created_at);

-- The addresses at which a platform tells of topics.
CREATE TABLE integration_webhooks (
    project_id     TEXT COLLATE "C" NOT NULL,
    id             TEXT COLLATE "C" NOT NULL,
    integration_id TEXT COLLATE "C" NOT NULL,
    type           TEXT   NOT NULL,
    topic          TEXT COLLATE "C" NOT NULL,
    actions        TEXT   NOT NULL,
    remote         TEXT   NOT NULL,
    signing        BYTEA, -- sealed
    status         TEXT   NOT NULL CONSTRAINT integration_webhooks_status CHECK (status IN ('active', 'failed')),
    created_at     BIGINT NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT integration_webhooks_topic UNIQUE (project_id, integration_id, topic),
    FOREIGN KEY (project_id, integration_id) REFERENCES integrations (project_id, id)
);
CREATE UNIQUE INDEX integration_webhooks_called ON integration_webhooks (id);

-- What came to them: a log, and what waits to be worked on. What is in hand is due when its lease ends.
-- Rows refer to no other table's: they are written at the rate of calls, and outlive their webhooks.
CREATE TABLE webhook_deliveries (
    project_id     TEXT COLLATE "C" NOT NULL,
    id             TEXT COLLATE "C" NOT NULL,
    integration_id TEXT COLLATE "C" NOT NULL,
    webhook_id     TEXT COLLATE "C" NOT NULL,
    topic          TEXT    NOT NULL,
    remote         TEXT COLLATE "C" NOT NULL, -- empty: the platform names no delivery
    at             BIGINT,
    status         TEXT    NOT NULL,
    error          TEXT    NOT NULL,
    retries        INTEGER NOT NULL,
    size           INTEGER NOT NULL,
    payload        BYTEA,
    received_at    BIGINT  NOT NULL,
    due_at         BIGINT, -- null: nothing left to do
    PRIMARY KEY (project_id, id),
    CONSTRAINT webhook_deliveries_status CHECK (status IN ('received', 'processed', 'failed', 'rejected', 'duplicate')),
    CONSTRAINT webhook_deliveries_due CHECK ((status = 'received') = (due_at IS NOT NULL)),
    CONSTRAINT webhook_deliveries_payload CHECK (payload IS NULL OR status IN ('received', 'failed')),
    CONSTRAINT webhook_deliveries_rejected CHECK (status <> 'rejected' OR remote = '')
);
CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (project_id, webhook_id, remote)
    WHERE remote <> '' AND status <> 'duplicate';
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_oldest ON webhook_deliveries (received_at) WHERE due_at IS NULL;
-- With the status, so that rows of a status are counted without their payloads.
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (project_id, integration_id, received_at, id, status);

-- +goose StatementBegin
DO $$
DECLARE
    guarded TEXT;
BEGIN
    FOREACH guarded IN ARRAY ARRAY['authorizations', 'integration_webhooks', 'webhook_deliveries'] LOOP
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
