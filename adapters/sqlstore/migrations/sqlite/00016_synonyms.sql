-- +goose Up
-- What means the same in a shop. Without an input the words find each other.
CREATE TABLE synonyms (
    project_id TEXT    NOT NULL REFERENCES projects (id),
    id         TEXT    NOT NULL,
    input      TEXT    NOT NULL,
    words      TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, id)
) STRICT;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('synonyms', 'sqlite_autoindex_synonyms_1', '2000 1000 1');
ANALYZE sqlite_schema;

-- The catalogue's version at which they were last written.
ALTER TABLE projects ADD COLUMN synonyms_version INTEGER NOT NULL DEFAULT 0;
