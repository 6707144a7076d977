-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Work that takes too long for one request. What is in hand is due when its lease ends.
CREATE TABLE jobs (
    project_id  TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id          TEXT COLLATE "C" NOT NULL,
    agent_id    TEXT COLLATE "C" NOT NULL,
    kind        TEXT    NOT NULL,
    status      TEXT    NOT NULL CONSTRAINT jobs_status CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'canceled')),
    currency    TEXT    NOT NULL,
    request     TEXT    NOT NULL,
    result      TEXT    NOT NULL,
    done        INTEGER NOT NULL,
    total       INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    code        TEXT    NOT NULL,
    reason      TEXT    NOT NULL,
    created_at  BIGINT  NOT NULL,
    started_at  BIGINT,
    finished_at BIGINT,
    due_at      BIGINT  NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT jobs_finished CHECK ((status IN ('queued', 'running')) = (finished_at IS NULL))
);
CREATE INDEX jobs_due ON jobs (project_id, due_at) WHERE finished_at IS NULL;
CREATE INDEX jobs_newest ON jobs (project_id, created_at, id);
CREATE INDEX jobs_oldest ON jobs (finished_at, project_id, id) WHERE finished_at IS NOT NULL;

ALTER TABLE jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON jobs USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs TO haggle_app;
