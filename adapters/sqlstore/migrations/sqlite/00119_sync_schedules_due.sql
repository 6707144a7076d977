-- +goose Up
CREATE INDEX integrations_scheduled ON integrations (next_sync) WHERE sync_schedule <> '';

-- The planner's figures, as in 00002.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('integrations', 'integrations_scheduled', '10 1');
ANALYZE sqlite_schema;
