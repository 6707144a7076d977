-- +goose Up
-- What a project is connected to. A disconnected one stays, without credentials, for its payments.
CREATE TABLE integrations (
    project_id     TEXT NOT NULL REFERENCES projects (id),
    id             TEXT NOT NULL,
    type           TEXT NOT NULL,
    name           TEXT NOT NULL,
    status         TEXT NOT NULL,
    account        TEXT NOT NULL,
    live           INTEGER NOT NULL,
    webhook_id     TEXT NOT NULL,
    webhook_remote TEXT NOT NULL,
    webhook_status TEXT NOT NULL,
    sealed         BLOB, -- credentials, encrypted
    last_error     TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT integrations_status CHECK (status IN ('connected', 'error', 'disconnected')),
    CONSTRAINT integrations_webhook_status CHECK (webhook_status IN ('none', 'active', 'failed')),
    CONSTRAINT integrations_credentials CHECK ((status = 'disconnected') = (sealed IS NULL))
) STRICT;
CREATE UNIQUE INDEX integrations_type ON integrations (project_id, type) WHERE status <> 'disconnected';
CREATE UNIQUE INDEX integrations_webhook ON integrations (webhook_id);
CREATE INDEX integrations_newest ON integrations (project_id, created_at, id);

-- The integration that serves a payment method, by method: here, so that who reads the project has it.
ALTER TABLE projects ADD COLUMN routes TEXT NOT NULL DEFAULT '{}';
