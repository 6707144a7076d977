-- +goose Up
SET LOCAL lock_timeout = '3s';

-- As in checkouts and refunds: background work is shared out by the project and its payment account. The table is small.
ALTER TABLE orphan_charges ADD COLUMN queue TEXT COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (project_id || '/' || CASE integration_id WHEN '' THEN provider ELSE integration_id END) STORED;
DROP INDEX orphan_charges_waiting;
CREATE INDEX orphan_charges_waiting ON orphan_charges (queue, due_at) WHERE due_at IS NOT NULL;
