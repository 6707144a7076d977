-- +goose Up
-- As in checkouts and refunds: background work is shared out by the project and its payment account. Accounts whose
-- comparison failed are one group of their project, which the worker expects to be slow.
ALTER TABLE orphan_charges ADD COLUMN queue TEXT NOT NULL
    GENERATED ALWAYS AS (project_id || '/' || CASE integration_id WHEN '' THEN provider ELSE integration_id END) VIRTUAL;
DROP INDEX orphan_charges_waiting;
CREATE INDEX orphan_charges_waiting ON orphan_charges (queue, due_at) WHERE due_at IS NOT NULL;

ALTER TABLE reconciliations ADD COLUMN queue TEXT NOT NULL
    GENERATED ALWAYS AS (project_id || '/' || CASE failures WHEN 0 THEN integration_id ELSE 'slow' END) VIRTUAL;
DROP INDEX reconciliations_due;
CREATE INDEX reconciliations_due
    ON reconciliations (queue, CASE WHEN lease_until > due_at THEN lease_until ELSE due_at END);

DELETE FROM sqlite_stat1 WHERE idx IN ('orphan_charges_waiting', 'reconciliations_due');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('orphan_charges', 'orphan_charges_waiting', '10 3 1'),
    ('reconciliations', 'reconciliations_due', '100 2 1');
ANALYZE sqlite_schema;
