-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- A slug that a project had stays with its account for some time: links and agents know it.
CREATE TABLE released_slugs (
    slug        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id  TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    released_at BIGINT NOT NULL
);
CREATE INDEX released_slugs_account ON released_slugs (account_id, released_at, slug);
CREATE INDEX released_slugs_oldest ON released_slugs (released_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON released_slugs TO haggle_app;

-- How many products the project has. Whoever writes the catalogue holds the row, and keeps the count.
ALTER TABLE projects ADD COLUMN products BIGINT NOT NULL DEFAULT 0;
UPDATE projects
SET products = (SELECT count(*) FROM products WHERE project_id = projects.id AND deleted_at IS NULL);
