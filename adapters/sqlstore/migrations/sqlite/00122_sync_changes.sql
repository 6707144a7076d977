-- +goose Up
-- What previews would do to records, and conflicts: fields that both sides had changed. run_id is empty for webhooks' records,
-- field for all that is no conflict. Of customers and orders there are ids alone.
CREATE TABLE sync_changes (
    project_id     TEXT    NOT NULL,
    integration_id TEXT    NOT NULL,
    run_id         TEXT    NOT NULL,
    resource       TEXT    NOT NULL,
    remote         TEXT    NOT NULL,
    kind           TEXT    NOT NULL,
    field          TEXT    NOT NULL,
    preview        INTEGER NOT NULL,
    local          TEXT    NOT NULL,
    title          TEXT    NOT NULL,
    fields         TEXT    NOT NULL,
    noted_at       INTEGER NOT NULL,
    PRIMARY KEY (project_id, integration_id, run_id, resource, remote, kind, field),
    CONSTRAINT sync_changes_kind CHECK (kind IN ('created', 'changed', 'archived', 'conflict')),
    CONSTRAINT sync_changes_field CHECK ((kind = 'conflict') = (field <> '')),
    CONSTRAINT sync_changes_personal CHECK (resource IN ('products', 'inventory') OR title = '' AND fields = '[]')
) STRICT;
CREATE INDEX sync_changes_oldest ON sync_changes (project_id, noted_at);
CREATE INDEX sync_changes_conflicts ON sync_changes (project_id, integration_id, noted_at) WHERE kind = 'conflict' AND NOT preview;

-- The planner's figures, as in 00002.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('sync_changes', 'sqlite_autoindex_sync_changes_1', '100000 50000 20000 500 250 2 1 1'),
    ('sync_changes', 'sync_changes_oldest', '100000 50000 100'),
    ('sync_changes', 'sync_changes_conflicts', '10000 5000 2000 10');
ANALYZE sqlite_schema;
