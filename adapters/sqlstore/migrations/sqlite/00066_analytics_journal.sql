-- +goose Up
-- The records that are not folded yet are a journal of each project: a note is added at its end, and folds take notes
-- away from its beginning.
CREATE TEMPORARY TABLE noted AS SELECT project_id, session_id, record_id FROM analytics_pending;
DROP TABLE analytics_pending;
CREATE TABLE analytics_pending (
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    record_id  TEXT NOT NULL,
    position   INTEGER NOT NULL PRIMARY KEY
) STRICT;
CREATE INDEX analytics_pending_project ON analytics_pending (project_id);
INSERT INTO analytics_pending (project_id, session_id, record_id)
SELECT project_id, session_id, record_id
FROM noted;
DROP TABLE noted;

-- The planner's figures, as in 00002.
DELETE FROM sqlite_stat1 WHERE tbl = 'analytics_pending';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('analytics_pending', 'analytics_pending_project', '2000 1000');
ANALYZE sqlite_schema;
