-- +goose Up
-- Files of products that wait to be imported, in parts, by the job that they are of or will be.
CREATE TABLE import_files (
    project_id TEXT    NOT NULL REFERENCES projects (id),
    job_id     TEXT    NOT NULL,
    part       INTEGER NOT NULL,
    content    BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, job_id, part)
) STRICT;
CREATE INDEX import_files_oldest ON import_files (created_at, project_id, job_id, part);

-- Products of such a file that were refused, as rows of a table.
CREATE TABLE import_refusals (
    project_id TEXT    NOT NULL REFERENCES projects (id),
    job_id     TEXT    NOT NULL,
    position   INTEGER NOT NULL,
    content    TEXT    NOT NULL,
    PRIMARY KEY (project_id, job_id, position),
    CONSTRAINT import_refusals_job FOREIGN KEY (project_id, job_id) REFERENCES jobs (project_id, id) ON DELETE CASCADE
) STRICT;
