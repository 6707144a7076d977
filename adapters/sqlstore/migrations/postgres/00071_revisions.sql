-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- A checkout may be opened before everything is known, and revised until it is paid.
ALTER TABLE checkouts
    ADD COLUMN revision INTEGER NOT NULL DEFAULT 1 CONSTRAINT checkouts_revisions CHECK (revision >= 1),
    ADD COLUMN line_seq INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN strict   BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN buyer    TEXT    NOT NULL DEFAULT '{}',
    DROP CONSTRAINT checkouts_status,
    ADD CONSTRAINT checkouts_status
        CHECK (status IN ('incomplete', 'ready', 'processing', 'pending', 'completed', 'expired', 'canceled')),
    ADD CONSTRAINT checkouts_payable CHECK (status NOT IN ('ready', 'processing', 'pending', 'completed') OR selected <> '');

DROP INDEX checkouts_unpaid;
CREATE INDEX checkouts_unpaid ON checkouts (valid_until) WHERE status IN ('incomplete', 'ready', 'pending', 'expired') AND abandoned_at IS NULL;

-- An address is given with the first attempt to pay, or before.
CREATE INDEX checkouts_email_new ON checkouts
    (project_id, lower(COALESCE(substring(payment FROM '"email": ?"([^"]*)"'), '') COLLATE "C"), session_id)
    WHERE status <> 'completed' AND (attempt > 0 OR buyer <> '{}');
DROP INDEX checkouts_email;
ALTER INDEX checkouts_email_new RENAME TO checkouts_email;
