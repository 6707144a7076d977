-- +goose Up
-- A hash of the address of the client whose attempt is in flight, or was the last one, as in declines.
ALTER TABLE checkouts ADD COLUMN client TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX checkouts_in_flight ON checkouts (project_id, client) WHERE status = 'processing' AND client <> '';
CREATE INDEX checkouts_in_flight_of_session ON checkouts (project_id, session_id) WHERE status = 'processing';

-- Locks for payment claims of the same session or client: each of these is hashed to one of 1024 slots. The rows hold
-- no data. One that is missing is inserted by the claim that locks it.
CREATE TABLE claim_locks (
    project_id TEXT COLLATE "C" NOT NULL,
    slot       INTEGER NOT NULL,
    PRIMARY KEY (project_id, slot)
);
ALTER TABLE claim_locks ENABLE ROW LEVEL SECURITY;
ALTER TABLE claim_locks FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON claim_locks USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON claim_locks TO haggle_app;
