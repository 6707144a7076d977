-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Files of products that wait to be imported, in parts, by the job that they are of or will be.
CREATE TABLE import_files (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    job_id     TEXT COLLATE "C" NOT NULL,
    part       INTEGER NOT NULL,
    content    BYTEA   NOT NULL,
    created_at BIGINT  NOT NULL,
    PRIMARY KEY (project_id, job_id, part)
);
CREATE INDEX import_files_oldest ON import_files (created_at, project_id, job_id, part);

-- Products of such a file that were refused, as rows of a table.
CREATE TABLE import_refusals (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    job_id     TEXT COLLATE "C" NOT NULL,
    position   INTEGER NOT NULL,
    content    TEXT    NOT NULL,
    PRIMARY KEY (project_id, job_id, position),
    CONSTRAINT import_refusals_job FOREIGN KEY (project_id, job_id) REFERENCES jobs (project_id, id) ON DELETE CASCADE
);

ALTER TABLE import_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_files FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON import_files USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON import_files TO haggle_app;

ALTER TABLE import_refusals ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_refusals FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON import_refusals USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON import_refusals TO haggle_app;
