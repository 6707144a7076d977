-- +goose Up
-- The comparison of our books with a payment integration's, done again and again. Whoever does it holds
-- the row until lease_until, by the database's clock.
CREATE TABLE reconciliations (
    project_id     TEXT    NOT NULL,
    integration_id TEXT    NOT NULL,
    gateway        TEXT    NOT NULL,
    due_at         INTEGER NOT NULL,
    lease_until    INTEGER,
    failures       INTEGER NOT NULL, -- in a row
    last_error     TEXT    NOT NULL,
    progress       INTEGER, -- until where the round under way has compared; null: none is
    ran_at         INTEGER, -- when a round ended; null: none did
    span_from      INTEGER,
    span_to        INTEGER,
    matched        INTEGER NOT NULL,
    found          INTEGER NOT NULL,
    totals         TEXT    NOT NULL, -- of both sides, by currency
    booked_until   INTEGER NOT NULL, -- fees and payouts before are in the ledger
    PRIMARY KEY (project_id, integration_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX reconciliations_due ON reconciliations (due_at);

-- Differences that nothing explains, as of the last comparison that had them in its span. Each is
-- announced once, when it is added.
CREATE TABLE money_differences (
    project_id     TEXT    NOT NULL,
    integration_id TEXT    NOT NULL,
    gateway        TEXT    NOT NULL,
    kind           TEXT    NOT NULL,
    provider       TEXT    NOT NULL, -- the provider's id of the movement
    refund         INTEGER NOT NULL,
    reference      TEXT    NOT NULL,
    payment_id     TEXT    NOT NULL,
    refund_id      TEXT    NOT NULL,
    currency       TEXT    NOT NULL,
    ours           INTEGER,
    theirs         INTEGER,
    at             INTEGER NOT NULL,
    found_at       INTEGER NOT NULL,
    PRIMARY KEY (project_id, integration_id, kind, refund, provider),
    CONSTRAINT money_differences_kind CHECK (kind = CASE
        WHEN ours IS NULL THEN 'missing_here'
        WHEN theirs IS NULL THEN 'missing_there'
        ELSE 'amount_differs'
    END)
) STRICT, WITHOUT ROWID;
CREATE INDEX refunds_provider ON refunds (project_id, provider) WHERE provider <> '';

-- Variants whose stock changed while little was left somewhere: a loop adds it all up.
CREATE TABLE stock_checks (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    project_id TEXT    NOT NULL,
    variant_id TEXT    NOT NULL
) STRICT;
CREATE INDEX stock_checks_project ON stock_checks (project_id);

-- Variants of which little is left, as announced.
CREATE TABLE low_stock (
    project_id TEXT    NOT NULL,
    variant_id TEXT    NOT NULL,
    since      INTEGER NOT NULL,
    PRIMARY KEY (project_id, variant_id)
) STRICT, WITHOUT ROWID;

-- Sessions with offers that are not known to be over. due_at is when to look next.
CREATE TABLE haggled_sessions (
    project_id TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    due_at     INTEGER NOT NULL,
    PRIMARY KEY (project_id, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX haggled_sessions_due ON haggled_sessions (due_at);

-- Null: nobody has heard yet that the checkout ended unpaid. What ended before this migration is past.
ALTER TABLE checkouts ADD COLUMN abandoned_at INTEGER;
UPDATE checkouts
SET status = 'expired', abandoned_at = valid_until
WHERE status IN ('ready', 'pending', 'expired')
  AND valid_until <= CAST(round(unixepoch('subsec') * 1000) AS INTEGER);
CREATE INDEX checkouts_unpaid ON checkouts (valid_until) WHERE status IN ('ready', 'pending', 'expired') AND abandoned_at IS NULL;

-- A total of at most 5 (catalog.LowStock) can be passed, either way, only by a level that is at most 5
-- before or after. So the condition is all that other sales pay for. A new level matters only where little
-- was left: elsewhere it passes nothing downwards.
-- +goose StatementBegin
CREATE TRIGGER stock_ran_low AFTER UPDATE OF quantity ON stock
WHEN OLD.quantity <> NEW.quantity AND (OLD.quantity <= 5 OR NEW.quantity <= 5)
BEGIN
    INSERT INTO stock_checks (project_id, variant_id)
    VALUES (NEW.project_id, NEW.variant_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER stock_came_to_low AFTER INSERT ON stock
WHEN NEW.quantity > 0 AND EXISTS (SELECT 1 FROM low_stock WHERE project_id = NEW.project_id AND variant_id = NEW.variant_id)
BEGIN
    INSERT INTO stock_checks (project_id, variant_id)
    VALUES (NEW.project_id, NEW.variant_id);
END;
-- +goose StatementEnd

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('reconciliations', 'reconciliations', '100 2 1'),
    ('reconciliations', 'reconciliations_due', '100 1'),
    ('money_differences', 'money_differences', '100 50 50 50 50 1'),
    ('refunds', 'refunds_provider', '5000 2500 1'),
    ('stock_checks', 'stock_checks_project', '100 50'),
    ('low_stock', 'low_stock', '1000 500 1'),
    ('haggled_sessions', 'haggled_sessions', '10000 5000 1'),
    ('haggled_sessions', 'haggled_sessions_due', '1000 1'),
    ('checkouts', 'checkouts_unpaid', '1000 1');
ANALYZE sqlite_schema;
