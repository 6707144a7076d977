-- +goose Up
-- A hash of the address of the client whose attempt is in flight, or was the last one, as in declines.
ALTER TABLE checkouts ADD COLUMN client TEXT NOT NULL DEFAULT '';
CREATE INDEX checkouts_in_flight ON checkouts (project_id, client) WHERE status = 'processing' AND client <> '';
CREATE INDEX checkouts_in_flight_of_session ON checkouts (project_id, session_id) WHERE status = 'processing';

-- Locks for payment claims, which only PostgreSQL needs: SQLite has one writer.
CREATE TABLE claim_locks (
    project_id TEXT    NOT NULL,
    slot       INTEGER NOT NULL,
    PRIMARY KEY (project_id, slot)
) STRICT, WITHOUT ROWID;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('checkouts', 'checkouts_in_flight', '10 5 2'),
    ('checkouts', 'checkouts_in_flight_of_session', '10 5 1');
ANALYZE sqlite_schema;
