-- +goose Up
-- What a provider takes back: refunds that fail later or were made elsewhere, disputes, fees and payouts.
SET LOCAL haggle.project_id = '*';

-- sequence is the number of the order's newest event. Earlier releases numbered none: what they announced of an
-- order counts as its first.
ALTER TABLE orders
    DROP CONSTRAINT orders_status,
    ADD COLUMN sequence INTEGER NOT NULL DEFAULT 1,
    ADD CONSTRAINT orders_status CHECK (status IN ('confirmed', 'refunded', 'canceled'));
UPDATE orders AS o
SET status = 'refunded'
FROM payments AS p
WHERE p.project_id = o.project_id
  AND p.order_id = o.id
  AND p.status = 'refunded'
  AND o.status = 'confirmed';

-- A refund made elsewhere may take what a pending one of ours is for, so only what was refunded is bounded by
-- what was paid. disputed is what disputes hold back at present.
ALTER TABLE payments
    DROP CONSTRAINT payments_refunds,
    ADD COLUMN disputed BIGINT NOT NULL DEFAULT 0 CONSTRAINT payments_disputed CHECK (disputed >= 0),
    ADD CONSTRAINT payments_refunds CHECK (refunded >= 0 AND refunding >= 0 AND refunded <= amount AND refunding <= amount);
-- A charge is also looked up without its provider.
DROP INDEX payments_charge;
CREATE UNIQUE INDEX payments_charge ON payments (project_id, provider, gateway) WHERE provider <> '';

-- allocation is which lines of the order the pieces are of; empty in returns of earlier releases.
ALTER TABLE returns ADD COLUMN allocation TEXT NOT NULL DEFAULT '[]';

-- An external refund was not requested here: it has the provider's id, and nobody asks for it.
-- reversed_at is when a refund failed that had succeeded.
ALTER TABLE refunds
    DROP CONSTRAINT refunds_due,
    ADD COLUMN origin TEXT NOT NULL DEFAULT 'requested' CONSTRAINT refunds_origin CHECK (origin IN ('requested', 'external')),
    ADD COLUMN reversed_at BIGINT,
    ADD CONSTRAINT refunds_due CHECK ((status = 'pending' AND origin = 'requested') = (due_at IS NOT NULL)),
    ADD CONSTRAINT refunds_named CHECK (origin = 'requested' OR provider <> ''),
    ADD CONSTRAINT refunds_reversed CHECK (reversed_at IS NULL OR status = 'failed');
CREATE INDEX refunds_newest ON refunds (project_id, created_at, id);
CREATE UNIQUE INDEX refunds_external ON refunds (project_id, payment_id, provider) WHERE origin = 'external';

-- withdrawn and fee are totals, in the currency of the provider's balance. steps is how many transactions of
-- the ledger recorded them.
CREATE TABLE disputes (
    project_id         TEXT COLLATE "C" NOT NULL,
    id                 TEXT COLLATE "C" NOT NULL,
    order_id           TEXT COLLATE "C" NOT NULL,
    payment_id         TEXT COLLATE "C" NOT NULL,
    gateway            TEXT COLLATE "C" NOT NULL,
    provider           TEXT COLLATE "C" NOT NULL CONSTRAINT disputes_provider CHECK (provider <> ''),
    status             TEXT    NOT NULL CONSTRAINT disputes_status CHECK (status IN ('open', 'won', 'lost')),
    reason             TEXT    NOT NULL,
    currency           TEXT    NOT NULL,
    amount             BIGINT  NOT NULL CONSTRAINT disputes_amount CHECK (amount >= 0),
    withdrawn_currency TEXT    NOT NULL,
    withdrawn          BIGINT  NOT NULL,
    fee_currency       TEXT    NOT NULL,
    fee                BIGINT  NOT NULL,
    steps              INTEGER NOT NULL CONSTRAINT disputes_steps CHECK (steps >= 0),
    reported_at        BIGINT  NOT NULL,
    created_at         BIGINT  NOT NULL,
    updated_at         BIGINT  NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT disputes_reported UNIQUE (project_id, gateway, provider)
);
CREATE INDEX disputes_of_order ON disputes (project_id, order_id);
CREATE INDEX disputes_of_payment ON disputes (project_id, payment_id);

-- reference is the provider's id of what has no row here (a fee, a payout, an adjustment, a charge without an
-- order), and the number of the step of a dispute.
ALTER TABLE ledger_transactions
    DROP CONSTRAINT ledger_transactions_kind,
    ADD COLUMN dispute_id TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN reference  TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD CONSTRAINT ledger_transactions_kind CHECK (CASE
        WHEN kind = 'sale' THEN order_id <> '' AND payment_id <> '' AND refund_id = '' AND dispute_id = '' AND reference = ''
        WHEN kind IN ('refund', 'refund_reversal')
            THEN order_id <> '' AND payment_id <> '' AND refund_id <> '' AND dispute_id = '' AND reference = ''
        WHEN kind = 'dispute' THEN order_id <> '' AND payment_id <> '' AND refund_id = '' AND dispute_id <> '' AND reference <> ''
        WHEN kind IN ('fee', 'payout', 'adjustment', 'orphan', 'orphan_refund')
            THEN refund_id = '' AND dispute_id = '' AND reference <> '' AND (order_id = '') = (payment_id = '')
        ELSE FALSE
    END);
CREATE UNIQUE INDEX ledger_transactions_reversal ON ledger_transactions (project_id, refund_id) WHERE kind = 'refund_reversal';
CREATE UNIQUE INDEX ledger_transactions_dispute ON ledger_transactions (project_id, dispute_id, reference) WHERE dispute_id <> '';
CREATE UNIQUE INDEX ledger_transactions_reference ON ledger_transactions (project_id, provider, reference, kind)
    WHERE reference <> '' AND dispute_id = '';

-- What belongs to no order goes after all orders of the project.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_transactions_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM orders WHERE project_id = OLD.project_id AND (OLD.order_id = '' OR id = OLD.order_id)) THEN
        RAISE EXCEPTION 'the ledger is only added to';
    END IF;
    RETURN OLD;
END
$$;
-- +goose StatementEnd

ALTER TABLE disputes ENABLE ROW LEVEL SECURITY;
ALTER TABLE disputes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON disputes USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON disputes TO haggle_app;
