-- +goose Up
-- The project and its payment account. Refunds that servers of the previous release request have none, and are
-- a group of their own.
ALTER TABLE refunds ADD COLUMN queue TEXT NOT NULL DEFAULT '';
UPDATE refunds SET queue = project_id WHERE due_at IS NOT NULL;

-- As in 00021, the group of each kind of work comes first in the index that claims read.
DROP INDEX refunds_waiting;
CREATE INDEX refunds_waiting ON refunds (queue, due_at) WHERE due_at IS NOT NULL;
DROP INDEX webhook_deliveries_waiting;
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (integration_id, due_at) WHERE due_at IS NOT NULL;
DROP INDEX sync_runs_due;
CREATE INDEX sync_runs_due ON sync_runs (project_id, due_at) WHERE status = 'running';
DROP INDEX reconciliations_due;
CREATE INDEX reconciliations_due
    ON reconciliations (project_id, CASE WHEN lease_until > due_at THEN lease_until ELSE due_at END);

DELETE FROM sqlite_stat1 WHERE idx IN ('refunds_waiting', 'webhook_deliveries_waiting', 'sync_runs_due', 'reconciliations_due');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('refunds', 'refunds_waiting', '10 3 1'),
    ('webhook_deliveries', 'webhook_deliveries_waiting', '1000 100 1'),
    ('sync_runs', 'sync_runs_due', '10 3 1'),
    ('reconciliations', 'reconciliations_due', '100 2 1');
ANALYZE sqlite_schema;
