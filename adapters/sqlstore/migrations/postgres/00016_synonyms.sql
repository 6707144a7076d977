-- +goose Up
-- What means the same in a shop. Without an input the words find each other.
CREATE TABLE synonyms (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id         TEXT COLLATE "C" NOT NULL,
    input      TEXT   NOT NULL,
    words      TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, id)
);
ALTER TABLE synonyms ENABLE ROW LEVEL SECURITY;
ALTER TABLE synonyms FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON synonyms USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON synonyms TO haggle_app;

-- The catalogue's version at which they were last written.
ALTER TABLE projects ADD COLUMN synonyms_version BIGINT NOT NULL DEFAULT 0;
