-- +goose Up
-- Whose turn it is in a dispute, until when the merchant may respond, and what it has sent to the provider from here. Of an
-- open one that is recorded already nobody knows whose turn it is: the merchant's, until the provider reports.
ALTER TABLE disputes ADD COLUMN response TEXT NOT NULL DEFAULT 'needed' CONSTRAINT disputes_response CHECK (response IN ('needed', 'under_review', 'closed'));
ALTER TABLE disputes ADD COLUMN due_by INTEGER;
ALTER TABLE disputes ADD COLUMN evidence TEXT NOT NULL DEFAULT '{}';
ALTER TABLE disputes ADD COLUMN answered_at INTEGER;
UPDATE disputes SET response = 'closed' WHERE status <> 'open';

CREATE INDEX disputes_newest ON disputes (project_id, created_at, id);

-- The planner's figures, as in 00002.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('disputes', 'disputes_newest', '1000 500 1 1');
ANALYZE sqlite_schema;
