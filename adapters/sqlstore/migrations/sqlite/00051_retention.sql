-- +goose Up
-- What is kept for some time only. due_at is when to look again what is to go; sessions_at and sessions_id are how far
-- sessions were looked at, by their beginning. sessions_until and events_until are the latest end, by the
-- database's clock, of what went: what is younger is all there.
CREATE TABLE retention (
    project_id       TEXT    NOT NULL PRIMARY KEY REFERENCES projects (id),
    due_at           INTEGER NOT NULL,
    sessions_at      INTEGER NOT NULL DEFAULT 0,
    sessions_id      TEXT    NOT NULL DEFAULT '',
    sessions_until   INTEGER NOT NULL DEFAULT 0,
    events_until     INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX retention_due ON retention (due_at);
INSERT INTO retention (project_id, due_at)
SELECT id, 0
FROM projects;

-- Sessions that could not go yet when it was their turn: a payment was undecided, or something was not counted.
CREATE TABLE sessions_held (
    project_id TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    due_at     INTEGER NOT NULL,
    PRIMARY KEY (project_id, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_held_due ON sessions_held (project_id, due_at);

-- Sessions that went are still counted.
ALTER TABLE analytics_slots ADD COLUMN sessions INTEGER NOT NULL DEFAULT 0;

-- The checkpoint of a chain: the decisions up to the position folded are gone. folded_until is when the last of them was
-- made, and seal is by the installation's key: who can write the database alone cannot move the checkpoint.
ALTER TABLE decision_chains ADD COLUMN folded INTEGER NOT NULL DEFAULT 0 CONSTRAINT decision_chains_folded CHECK (folded BETWEEN 0 AND position);
ALTER TABLE decision_chains ADD COLUMN folded_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE decision_chains ADD COLUMN folded_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision_chains ADD COLUMN seal BLOB;

-- Decisions outlive their sessions. Removing a constraint needs no table to be made anew: sqlite.org/lang_altertable.html,
-- section 8.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, 'CONSTRAINT decisions_session FOREIGN KEY (project_id, session_id) REFERENCES sessions (project_id, id),', '')
WHERE type = 'table'
  AND name = 'decisions';
PRAGMA writable_schema = RESET;

DROP TRIGGER decisions_stay;
-- +goose StatementBegin
CREATE TRIGGER decisions_stay BEFORE DELETE ON decisions
WHEN NOT EXISTS (SELECT 1 FROM projects WHERE id = OLD.project_id AND status = 'deleting')
    AND NOT EXISTS (SELECT 1 FROM decision_chains WHERE project_id = OLD.project_id AND folded >= OLD.position)
BEGIN
    SELECT RAISE(ABORT, 'decisions are only added, sealed once, and erased once');
END;
-- +goose StatementEnd

-- What goes is found by its age.
CREATE INDEX decisions_messages ON decisions (project_id, at) WHERE message <> '';
CREATE INDEX deliveries_oldest ON deliveries (project_id, created_at);
CREATE INDEX sync_problems_oldest ON sync_problems (project_id, noted_at);
CREATE INDEX sync_runs_oldest ON sync_runs (project_id, started_at);
DROP INDEX webhook_deliveries_oldest;
CREATE INDEX webhook_deliveries_oldest ON webhook_deliveries (project_id, received_at) WHERE due_at IS NULL;

-- The planner's figures, as in 00002.
DELETE FROM sqlite_stat1 WHERE idx = 'webhook_deliveries_oldest';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('retention', 'retention', '10 1'),
    ('retention', 'retention_due', '10 1'),
    ('sessions_held', 'sessions_held', '100 50 1'),
    ('sessions_held', 'sessions_held_due', '100 50 1'),
    ('decisions', 'decisions_messages', '30000 15000 1'),
    ('deliveries', 'deliveries_oldest', '60000 30000 1'),
    ('sync_problems', 'sync_problems_oldest', '100000 50000 100'),
    ('sync_runs', 'sync_runs_oldest', '20000 10000 1'),
    ('webhook_deliveries', 'webhook_deliveries_oldest', '999000 499000 1');
ANALYZE sqlite_schema;
