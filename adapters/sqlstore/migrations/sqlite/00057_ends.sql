-- +goose Up
-- Audit events are kept for 730 days, by the real clock, and then removed.
CREATE INDEX audit_events_oldest ON audit_events (at);
DROP TRIGGER audit_events_kept;
-- +goose StatementBegin
CREATE TRIGGER audit_events_kept BEFORE DELETE ON audit_events
WHEN OLD.at >= CAST(round(unixepoch('subsec') * 1000) AS INTEGER) - 63072000000
BEGIN
    SELECT RAISE(ABORT, 'audit events are only added, and kept for 730 days');
END;
-- +goose StatementEnd

-- Stock adjustments go with the logs.
CREATE INDEX stock_moves_oldest ON stock_moves (project_id, created_at);

-- The quarters of an hour before slots_until are joined to days.
ALTER TABLE retention ADD COLUMN slots_until INTEGER NOT NULL DEFAULT 0;

-- What strangers left in a closed project goes as in others.
INSERT INTO retention (project_id, due_at)
SELECT id, 0
FROM projects
WHERE status IN ('closing', 'closed')
ON CONFLICT (project_id) DO NOTHING;

-- The planner's figures, as in 00002.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('audit_events', 'audit_events_oldest', '100000 1'),
    ('stock_moves', 'stock_moves_oldest', '100000 50000 1');
ANALYZE sqlite_schema;
