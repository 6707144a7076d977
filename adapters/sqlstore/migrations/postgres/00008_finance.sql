-- +goose Up
-- What follows a sale: refunds, decided returns, and the ledger.
SET LOCAL haggle.project_id = '*';

ALTER TABLE orders
    DROP CONSTRAINT orders_status,
    ADD COLUMN fulfillment_status TEXT NOT NULL DEFAULT 'processing',
    ADD CONSTRAINT orders_status CHECK (status IN ('confirmed', 'canceled')),
    ADD CONSTRAINT orders_fulfillment CHECK (fulfillment_status IN ('processing', 'shipped', 'delivered', 'canceled')),
    ADD CONSTRAINT orders_canceled CHECK ((status = 'canceled') = (fulfillment_status = 'canceled')),
    ADD CONSTRAINT orders_confirmation UNIQUE (project_id, confirmation);
ALTER TABLE orders ALTER COLUMN fulfillment_status DROP DEFAULT;

-- The provider is gateway; its id of the charge is provider.
ALTER TABLE payments
    DROP CONSTRAINT payments_status,
    ADD COLUMN gateway        TEXT COLLATE "C" NOT NULL DEFAULT 'sandbox',
    ADD COLUMN integration_id TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN refunded       BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN refunding      BIGINT NOT NULL DEFAULT 0,
    ADD CONSTRAINT payments_refunds CHECK (refunded >= 0 AND refunding >= 0 AND refunded + refunding <= amount),
    ADD CONSTRAINT payments_status CHECK (status = CASE
        WHEN refunded = 0 THEN 'succeeded'
        WHEN refunded < amount THEN 'partially_refunded'
        ELSE 'refunded'
    END);
ALTER TABLE payments
    ALTER COLUMN gateway DROP DEFAULT,
    ALTER COLUMN integration_id DROP DEFAULT,
    ALTER COLUMN refunded DROP DEFAULT,
    ALTER COLUMN refunding DROP DEFAULT;
CREATE UNIQUE INDEX payments_charge ON payments (project_id, gateway, provider) WHERE provider <> '';
CREATE INDEX payments_newest ON payments (project_id, created_at, id);

ALTER TABLE returns
    ADD COLUMN refund_id  TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN reason     TEXT NOT NULL DEFAULT '',
    ADD COLUMN restocked  TEXT NOT NULL DEFAULT '[]',
    ADD COLUMN decided_at BIGINT;
UPDATE returns SET decided_at = created_at WHERE status <> 'requested';
ALTER TABLE returns
    ALTER COLUMN refund_id DROP DEFAULT,
    ALTER COLUMN reason DROP DEFAULT,
    ALTER COLUMN restocked DROP DEFAULT,
    ADD CONSTRAINT returns_decided CHECK ((status = 'requested') = (decided_at IS NULL));
CREATE INDEX returns_newest ON returns (project_id, created_at, id);

-- due_at is when a pending refund may be asked for, by whoever comes first.
CREATE TABLE refunds (
    project_id TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    order_id   TEXT COLLATE "C" NOT NULL,
    payment_id TEXT COLLATE "C" NOT NULL,
    return_id  TEXT COLLATE "C" NOT NULL,
    status     TEXT    NOT NULL CONSTRAINT refunds_status CHECK (status IN ('pending', 'succeeded', 'failed')),
    currency   TEXT    NOT NULL,
    amount     BIGINT  NOT NULL CONSTRAINT refunds_amount CHECK (amount > 0),
    reason     TEXT    NOT NULL,
    failure    TEXT    NOT NULL,
    provider   TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    updated_at BIGINT  NOT NULL,
    attempts   INTEGER NOT NULL,
    due_at     BIGINT,
    PRIMARY KEY (project_id, id),
    CONSTRAINT refunds_due CHECK ((status = 'pending') = (due_at IS NOT NULL))
);
CREATE INDEX refunds_of_payment ON refunds (project_id, payment_id, created_at, id);
CREATE UNIQUE INDEX refunds_of_return ON refunds (project_id, return_id) WHERE return_id <> '';
CREATE INDEX refunds_succeeded ON refunds (project_id, updated_at) WHERE status = 'succeeded';
CREATE INDEX refunds_waiting ON refunds (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE ledger_transactions (
    project_id TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    kind       TEXT   NOT NULL,
    order_id   TEXT COLLATE "C" NOT NULL,
    payment_id TEXT COLLATE "C" NOT NULL,
    refund_id  TEXT COLLATE "C" NOT NULL,
    provider   TEXT   NOT NULL,
    at         BIGINT NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT ledger_transactions_kind CHECK (kind = CASE WHEN refund_id = '' THEN 'sale' ELSE 'refund' END)
);
CREATE UNIQUE INDEX ledger_transactions_sale ON ledger_transactions (project_id, payment_id) WHERE kind = 'sale';
CREATE UNIQUE INDEX ledger_transactions_refund ON ledger_transactions (project_id, refund_id) WHERE kind = 'refund';
CREATE INDEX ledger_transactions_newest ON ledger_transactions (project_id, at, id);

CREATE TABLE ledger_postings (
    project_id     TEXT COLLATE "C" NOT NULL,
    transaction_id TEXT COLLATE "C" NOT NULL,
    position       INTEGER NOT NULL,
    debit          TEXT COLLATE "C" NOT NULL,
    credit         TEXT COLLATE "C" NOT NULL,
    currency       TEXT   NOT NULL,
    amount         BIGINT NOT NULL CONSTRAINT ledger_postings_amount CHECK (amount > 0),
    PRIMARY KEY (project_id, transaction_id, position),
    CONSTRAINT ledger_postings_accounts CHECK (debit <> credit)
);

-- +goose StatementBegin
DO $$
DECLARE
    guarded TEXT;
BEGIN
    FOREACH guarded IN ARRAY ARRAY['refunds', 'ledger_transactions', 'ledger_postings'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
        EXECUTE format($policy$
            CREATE POLICY own_project ON %I USING (
                project_id = current_setting('haggle.project_id', true)
                OR current_setting('haggle.project_id', true) = '*'
            )$policy$, guarded);
    END LOOP;
END
$$;
-- +goose StatementEnd
GRANT SELECT, INSERT, UPDATE, DELETE ON refunds TO haggle_app;
GRANT SELECT, INSERT, DELETE ON ledger_transactions, ledger_postings TO haggle_app;

-- What was sold before there was a ledger.
INSERT INTO ledger_transactions (project_id, id, kind, order_id, payment_id, refund_id, provider, at)
SELECT project_id, 'txn_' || substr(id, 5), 'sale', order_id, id, '', gateway, created_at
FROM payments
WHERE amount > 0;
INSERT INTO ledger_postings (project_id, transaction_id, position, debit, credit, currency, amount)
SELECT o.project_id, 'txn_' || substr(p.id, 5), part.position, 'funds:' || p.gateway, part.account, o.currency, part.amount
FROM orders AS o
JOIN payments AS p ON p.project_id = o.project_id AND p.order_id = o.id
CROSS JOIN LATERAL (VALUES (0, 'sales', o.subtotal), (1, 'shipping', o.shipping), (2, 'tax', o.tax)) AS part (position, account, amount)
WHERE part.amount > 0;

-- Rows of the ledger are only added. They go with their order, when its project is deleted: the order
-- first, then its transactions, then their postings.
-- +goose StatementBegin
CREATE FUNCTION ledger_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is only added to';
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION ledger_transactions_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM orders WHERE project_id = OLD.project_id AND id = OLD.order_id) THEN
        RAISE EXCEPTION 'the ledger is only added to';
    END IF;
    RETURN OLD;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION ledger_postings_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM ledger_transactions WHERE project_id = OLD.project_id AND id = OLD.transaction_id) THEN
        RAISE EXCEPTION 'the ledger is only added to';
    END IF;
    RETURN OLD;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER ledger_transactions_unchanged BEFORE UPDATE OR TRUNCATE ON ledger_transactions
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays();
CREATE TRIGGER ledger_postings_unchanged BEFORE UPDATE OR TRUNCATE ON ledger_postings
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays();
CREATE TRIGGER ledger_transactions_kept BEFORE DELETE ON ledger_transactions
    FOR EACH ROW EXECUTE FUNCTION ledger_transactions_stay();
CREATE TRIGGER ledger_postings_kept BEFORE DELETE ON ledger_postings
    FOR EACH ROW EXECUTE FUNCTION ledger_postings_stay();
