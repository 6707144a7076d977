-- +goose Up
-- Declined payments of the last minutes, of a session or a client, so that nobody tries out cards here.
CREATE TABLE declines (
    project_id  TEXT    NOT NULL,
    subject     TEXT    NOT NULL, -- a session, or a hash of a client's address
    at          INTEGER NOT NULL,
    checkout_id TEXT    NOT NULL,
    attempt     INTEGER NOT NULL,
    PRIMARY KEY (project_id, subject, checkout_id, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX declines_age ON declines (at);
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('declines', 'declines', '1000 500 5 1 1'),
    ('declines', 'declines_age', '1000 1');
ANALYZE sqlite_schema;

-- An attempt in flight is somebody's, until a time.
-- +goose StatementBegin
CREATE TRIGGER checkouts_leased BEFORE UPDATE ON checkouts WHEN NEW.status = 'processing' AND NEW.lease_until IS NULL
BEGIN
    SELECT RAISE(ABORT, 'checkouts_leased');
END;
-- +goose StatementEnd

-- When an outcome that nobody could tell is asked for again.
ALTER TABLE checkouts ADD COLUMN retry_at INTEGER;
