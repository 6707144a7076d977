-- +goose Up
-- A checkout may be opened before everything is known, and revised until it is paid.
ALTER TABLE checkouts ADD COLUMN revision INTEGER NOT NULL DEFAULT 1 CONSTRAINT checkouts_revisions CHECK (revision >= 1);
ALTER TABLE checkouts ADD COLUMN line_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checkouts ADD COLUMN strict INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checkouts ADD COLUMN buyer TEXT NOT NULL DEFAULT '{}';

-- Another CHECK needs no table to be made anew: sqlite.org/lang_altertable.html, section 8.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, 'CHECK (status IN (''ready'', ''processing'', ''pending'', ''completed'', ''expired'', ''canceled'')),',
    'CHECK (status IN (''incomplete'', ''ready'', ''processing'', ''pending'', ''completed'', ''expired'', ''canceled'')),
    CONSTRAINT checkouts_payable CHECK (status NOT IN (''ready'', ''processing'', ''pending'', ''completed'') OR selected <> ''''),')
WHERE type = 'table'
  AND name = 'checkouts';
PRAGMA writable_schema = RESET;

DROP INDEX checkouts_unpaid;
CREATE INDEX checkouts_unpaid ON checkouts (valid_until) WHERE status IN ('incomplete', 'ready', 'pending', 'expired') AND abandoned_at IS NULL;

-- An address is given with the first attempt to pay, or before.
DROP INDEX checkouts_email;
CREATE INDEX checkouts_email ON checkouts
    (project_id, lower(COALESCE(CASE WHEN json_valid(payment) THEN payment ->> 'email' END, '')), session_id)
    WHERE status <> 'completed' AND (attempt > 0 OR buyer <> '{}');
