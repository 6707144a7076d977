-- +goose Up
-- Declined payments of the last minutes, of a session or a client, so that nobody tries out cards here.
CREATE TABLE declines (
    project_id  TEXT COLLATE "C" NOT NULL,
    subject     TEXT COLLATE "C" NOT NULL, -- a session, or a hash of a client's address
    at          BIGINT  NOT NULL,
    checkout_id TEXT COLLATE "C" NOT NULL,
    attempt     INTEGER NOT NULL,
    PRIMARY KEY (project_id, subject, checkout_id, attempt)
);
CREATE INDEX declines_age ON declines (at);
ALTER TABLE declines ENABLE ROW LEVEL SECURITY;
ALTER TABLE declines FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON declines USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON declines TO haggle_app;

-- An attempt in flight is somebody's, until a time.
ALTER TABLE checkouts ADD CONSTRAINT checkouts_leased CHECK (status <> 'processing' OR lease_until IS NOT NULL);

-- When an outcome that nobody could tell is asked for again.
ALTER TABLE checkouts ADD COLUMN retry_at BIGINT;
