-- +goose Up
CREATE INDEX integrations_store ON integrations (type, store) WHERE store <> '';

-- The planner's figures, as in 00002.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('integrations', 'integrations_store', '10 1 1');
ANALYZE sqlite_schema;
