-- +goose Up
-- Background work that cannot be read, or that made the program panic: it is due again at due_at. A row goes
-- when its work was done after all.
CREATE TABLE jobs_set_aside (
    project_id TEXT    NOT NULL,
    queue      TEXT    NOT NULL,
    row_id     TEXT    NOT NULL,
    failures   INTEGER NOT NULL, -- in a row
    due_at     INTEGER NOT NULL,
    error      TEXT    NOT NULL,
    first_at   INTEGER NOT NULL,
    PRIMARY KEY (project_id, queue, row_id)
) STRICT, WITHOUT ROWID;

-- The group of each kind of work comes first in its index, so that whoever claims work finds every group's
-- longest waiting without reading past another group's.
ALTER TABLE checkouts ADD COLUMN queue TEXT NOT NULL DEFAULT ''; -- the project and its payment account
UPDATE checkouts SET queue = project_id WHERE status = 'processing';
DROP INDEX checkouts_processing;
CREATE INDEX checkouts_waiting
    ON checkouts (queue, CASE WHEN retry_at > lease_until THEN retry_at ELSE lease_until END) WHERE status = 'processing';
DROP INDEX refunds_waiting;
CREATE INDEX refunds_waiting ON refunds (project_id, due_at) WHERE due_at IS NOT NULL;
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (project_id, due_at) WHERE due_at IS NOT NULL;

DELETE FROM sqlite_stat1 WHERE idx IN ('checkouts_processing', 'refunds_waiting', 'outbox_due');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('checkouts', 'checkouts_waiting', '10 3 1'),
    ('refunds', 'refunds_waiting', '10 3 1'),
    ('outbox', 'outbox_due', '100 30 1'),
    ('jobs_set_aside', 'jobs_set_aside', '10 3 2 1');
ANALYZE sqlite_schema;
