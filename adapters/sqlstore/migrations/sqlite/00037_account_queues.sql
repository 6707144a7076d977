-- +goose Up
-- As in checkouts and refunds: background work is shared out by the project and its payment account.
ALTER TABLE orphan_charges ADD COLUMN queue TEXT NOT NULL
    GENERATED ALWAYS AS (project_id || '/' || CASE integration_id WHEN '' THEN provider ELSE integration_id END) VIRTUAL;
DROP INDEX orphan_charges_waiting;
CREATE INDEX orphan_charges_waiting ON orphan_charges (queue, due_at) WHERE due_at IS NOT NULL;

DELETE FROM sqlite_stat1 WHERE idx = 'orphan_charges_waiting';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('orphan_charges', 'orphan_charges_waiting', '10 3 1');
ANALYZE sqlite_schema;
