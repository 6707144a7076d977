-- +goose Up
SET LOCAL lock_timeout = '3s';

-- As in checkouts and refunds: background work is shared out by the project and its payment account. Both tables are
-- small. Accounts whose comparison failed are one group of their project, which the worker expects to be slow.
ALTER TABLE orphan_charges ADD COLUMN queue TEXT COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (project_id || '/' || CASE integration_id WHEN '' THEN provider ELSE integration_id END) STORED;
DROP INDEX orphan_charges_waiting;
CREATE INDEX orphan_charges_waiting ON orphan_charges (queue, due_at) WHERE due_at IS NOT NULL;

ALTER TABLE reconciliations ADD COLUMN queue TEXT COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (project_id || '/' || CASE failures WHEN 0 THEN integration_id ELSE 'slow' END) STORED;
DROP INDEX reconciliations_due;
CREATE INDEX reconciliations_due
    ON reconciliations (queue, (CASE WHEN lease_until > due_at THEN lease_until ELSE due_at END));
