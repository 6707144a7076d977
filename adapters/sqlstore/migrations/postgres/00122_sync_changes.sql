-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- What previews would do to records, and conflicts: fields that both sides had changed. run_id is empty for webhooks' records,
-- field for all that is no conflict. Of customers and orders there are ids alone.
CREATE TABLE sync_changes (
    project_id     TEXT COLLATE "C" NOT NULL,
    integration_id TEXT COLLATE "C" NOT NULL,
    run_id         TEXT COLLATE "C" NOT NULL,
    resource       TEXT COLLATE "C" NOT NULL,
    remote         TEXT COLLATE "C" NOT NULL,
    kind           TEXT COLLATE "C" NOT NULL,
    field          TEXT COLLATE "C" NOT NULL,
    preview        BOOLEAN NOT NULL,
    local          TEXT    NOT NULL,
    title          TEXT    NOT NULL,
    fields         TEXT    NOT NULL,
    noted_at       BIGINT  NOT NULL,
    PRIMARY KEY (project_id, integration_id, run_id, resource, remote, kind, field),
    CONSTRAINT sync_changes_kind CHECK (kind IN ('created', 'changed', 'archived', 'conflict')),
    CONSTRAINT sync_changes_field CHECK ((kind = 'conflict') = (field <> '')),
    CONSTRAINT sync_changes_personal CHECK (resource IN ('products', 'inventory') OR title = '' AND fields = '[]')
);
CREATE INDEX sync_changes_oldest ON sync_changes (project_id, noted_at);
CREATE INDEX sync_changes_conflicts ON sync_changes (project_id, integration_id, noted_at) WHERE kind = 'conflict' AND NOT preview;

ALTER TABLE sync_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON sync_changes USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON sync_changes TO haggle_app;
