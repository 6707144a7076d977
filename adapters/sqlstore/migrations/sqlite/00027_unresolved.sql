-- +goose Up
-- Why the provider could not be asked the last time, in words for the merchant.
ALTER TABLE refunds ADD COLUMN problem TEXT NOT NULL DEFAULT '';
ALTER TABLE orphan_charges ADD COLUMN problem TEXT NOT NULL DEFAULT '';

-- When people were last alerted to an attempt, a refund or an orphaned charge that is not decided; null: never. A
-- time before the attempt in flight was claimed is of an earlier attempt.
ALTER TABLE checkouts ADD COLUMN alerted_at INTEGER;
ALTER TABLE refunds ADD COLUMN alerted_at INTEGER;
ALTER TABLE orphan_charges ADD COLUMN alerted_at INTEGER;

-- Refunds of orphaned charges are a queue whose groups are projects.
DROP INDEX orphan_charges_due_at;
CREATE INDEX orphan_charges_waiting ON orphan_charges (project_id, due_at) WHERE due_at IS NOT NULL;
