-- +goose Up
SET LOCAL haggle.project_id = '*';

-- The comparison of our books with a payment integration's, done again and again. Whoever does it holds
-- the row until lease_until, by the database's clock.
CREATE TABLE reconciliations (
    project_id     TEXT COLLATE "C" NOT NULL,
    integration_id TEXT COLLATE "C" NOT NULL,
    gateway        TEXT COLLATE "C" NOT NULL,
    due_at         BIGINT  NOT NULL,
    lease_until    BIGINT,
    failures       INTEGER NOT NULL, -- in a row
    last_error     TEXT    NOT NULL,
    progress       BIGINT, -- until where the round under way has compared; null: none is
    ran_at         BIGINT, -- when a round ended; null: none did
    span_from      BIGINT,
    span_to        BIGINT,
    matched        INTEGER NOT NULL,
    found          INTEGER NOT NULL,
    totals         TEXT    NOT NULL, -- of both sides, by currency
    booked_until   BIGINT  NOT NULL, -- fees and payouts before are in the ledger
    PRIMARY KEY (project_id, integration_id)
);
CREATE INDEX reconciliations_due ON reconciliations (due_at);

-- Differences that nothing explains, as of the last comparison that had them in its span. Each is
-- announced once, when it is added.
CREATE TABLE money_differences (
    project_id     TEXT COLLATE "C" NOT NULL,
    integration_id TEXT COLLATE "C" NOT NULL,
    gateway        TEXT COLLATE "C" NOT NULL,
    kind           TEXT COLLATE "C" NOT NULL,
    provider       TEXT COLLATE "C" NOT NULL, -- the provider's id of the movement
    refund         BOOLEAN NOT NULL,
    reference      TEXT    NOT NULL,
    payment_id     TEXT    NOT NULL,
    refund_id      TEXT    NOT NULL,
    currency       TEXT    NOT NULL,
    ours           BIGINT,
    theirs         BIGINT,
    at             BIGINT  NOT NULL,
    found_at       BIGINT  NOT NULL,
    PRIMARY KEY (project_id, integration_id, kind, refund, provider),
    CONSTRAINT money_differences_kind CHECK (kind = CASE
        WHEN ours IS NULL THEN 'missing_here'
        WHEN theirs IS NULL THEN 'missing_there'
        ELSE 'amount_differs'
    END)
);
CREATE INDEX refunds_provider ON refunds (project_id, provider) WHERE provider <> '';

-- Variants whose stock changed while little was left somewhere: a loop adds it all up. The row belongs to
-- nobody else than the change, so writers never wait for each other here.
CREATE TABLE stock_checks (
    project_id TEXT COLLATE "C" NOT NULL,
    id         BIGINT GENERATED ALWAYS AS IDENTITY,
    variant_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, id)
);
CREATE INDEX stock_checks_oldest ON stock_checks (id);

-- Variants of which little is left, as announced.
CREATE TABLE low_stock (
    project_id TEXT COLLATE "C" NOT NULL,
    variant_id TEXT COLLATE "C" NOT NULL,
    since      BIGINT NOT NULL,
    PRIMARY KEY (project_id, variant_id)
);

-- Sessions with offers that are not known to be over. due_at is when to look next.
CREATE TABLE haggled_sessions (
    project_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    due_at     BIGINT NOT NULL,
    PRIMARY KEY (project_id, session_id)
);
CREATE INDEX haggled_sessions_due ON haggled_sessions (due_at);

-- Null: nobody has heard yet that the checkout ended unpaid. What ended before this migration is past.
ALTER TABLE checkouts ADD COLUMN abandoned_at BIGINT;
UPDATE checkouts
SET status = 'expired',
    abandoned_at = valid_until
WHERE status IN ('ready', 'pending', 'expired')
  AND valid_until <= extract(epoch FROM clock_timestamp()) * 1000;
CREATE INDEX checkouts_unpaid ON checkouts (valid_until) WHERE status IN ('ready', 'pending', 'expired') AND abandoned_at IS NULL;

-- +goose StatementBegin
DO $$
DECLARE
    guarded TEXT;
BEGIN
    FOREACH guarded IN ARRAY ARRAY['reconciliations', 'money_differences', 'stock_checks', 'low_stock', 'haggled_sessions'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
        EXECUTE format($policy$
            CREATE POLICY own_project ON %I USING (
                project_id = current_setting('haggle.project_id', true)
                OR current_setting('haggle.project_id', true) = '*'
            )$policy$, guarded);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO haggle_app', guarded);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- A total of at most 5 (catalog.LowStock) can be passed, either way, only by a level that is at most 5
-- before or after. So the condition is all that other sales pay for. A new level matters only where little
-- was left: elsewhere it passes nothing downwards.
-- +goose StatementBegin
CREATE FUNCTION stock_ran_low() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stock_checks (project_id, variant_id)
    VALUES (NEW.project_id, NEW.variant_id);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION stock_came_to_low() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stock_checks (project_id, variant_id)
    SELECT came.project_id, came.variant_id
    FROM came
    WHERE came.quantity > 0
      AND EXISTS (
        SELECT FROM low_stock AS l
        WHERE l.project_id = came.project_id
          AND l.variant_id = came.variant_id
      );
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER stock_ran_low AFTER UPDATE OF quantity ON stock
    FOR EACH ROW WHEN (OLD.quantity <> NEW.quantity AND (OLD.quantity <= 5 OR NEW.quantity <= 5)) EXECUTE FUNCTION stock_ran_low();
CREATE TRIGGER stock_came_to_low AFTER INSERT ON stock REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION stock_came_to_low();
