-- +goose Up
CREATE INDEX integration_webhooks_due ON integration_webhooks (integration_id, check_at);

-- The planner's figures, as in 00002.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('integration_webhooks', 'integration_webhooks_due', '10 3 1');
ANALYZE sqlite_schema;
