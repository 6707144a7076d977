-- +goose Up
-- A slug that a project had stays with its account for some time: links and agents know it.
CREATE TABLE released_slugs (
    slug        TEXT    NOT NULL PRIMARY KEY,
    account_id  TEXT    NOT NULL REFERENCES accounts (id),
    released_at INTEGER NOT NULL
) STRICT;
CREATE INDEX released_slugs_account ON released_slugs (account_id, released_at, slug);
CREATE INDEX released_slugs_oldest ON released_slugs (released_at);

-- How many products the project has. Whoever writes the catalogue holds the row, and keeps the count.
ALTER TABLE projects ADD COLUMN products INTEGER NOT NULL DEFAULT 0;
UPDATE projects
SET products = (SELECT count(*) FROM products WHERE project_id = projects.id AND deleted_at IS NULL);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('released_slugs', 'sqlite_autoindex_released_slugs_1', '1000 1'),
    ('released_slugs', 'released_slugs_account', '1000 10 1 1'),
    ('released_slugs', 'released_slugs_oldest', '1000 1');
ANALYZE sqlite_schema;
