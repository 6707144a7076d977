-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Whose turn it is in a dispute, until when the merchant may respond, and what it has sent to the provider from here. Of an
-- open one that is recorded already nobody knows whose turn it is: the merchant's, until the provider reports.
ALTER TABLE disputes
    ADD COLUMN response    TEXT NOT NULL DEFAULT 'needed' CONSTRAINT disputes_response CHECK (response IN ('needed', 'under_review', 'closed')),
    ADD COLUMN due_by      BIGINT,
    ADD COLUMN evidence    TEXT NOT NULL DEFAULT '{}',
    ADD COLUMN answered_at BIGINT;
UPDATE disputes SET response = 'closed' WHERE status <> 'open';

CREATE INDEX disputes_newest ON disputes (project_id, created_at, id);
