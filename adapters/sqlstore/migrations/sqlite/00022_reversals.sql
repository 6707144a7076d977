-- +goose Up
-- What a provider takes back: refunds that fail later or were made elsewhere, disputes, fees and payouts.
-- Orders, payments, refunds and the ledger's transactions are made anew, for SQLite changes no constraint in place; the
-- triggers that name them are made anew with them.
DROP TRIGGER orders_told;
DROP TRIGGER ledger_transactions_unchanged;
DROP TRIGGER ledger_transactions_kept;
DROP TRIGGER ledger_postings_kept;

-- sequence is the number of the order's newest event. Earlier releases numbered none: what they announced of an
-- order counts as its first.
CREATE TABLE orders_new (
    project_id         TEXT NOT NULL,
    id                 TEXT NOT NULL,
    checkout_id        TEXT NOT NULL,
    session_id         TEXT NOT NULL,
    confirmation       TEXT NOT NULL,
    status             TEXT NOT NULL,
    lines              TEXT NOT NULL,
    address            TEXT NOT NULL,
    email              TEXT NOT NULL,
    notes              TEXT NOT NULL,
    currency           TEXT NOT NULL,
    subtotal           INTEGER NOT NULL,
    shipping           INTEGER NOT NULL,
    tax                INTEGER NOT NULL,
    savings            INTEGER NOT NULL,
    total              INTEGER NOT NULL,
    fulfillment        TEXT NOT NULL,
    fulfillment_status TEXT NOT NULL,
    created_at         INTEGER NOT NULL,
    sequence           INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (project_id, id),
    CONSTRAINT orders_checkout UNIQUE (project_id, checkout_id),
    CONSTRAINT orders_confirmation UNIQUE (project_id, confirmation),
    CONSTRAINT orders_status CHECK (status IN ('confirmed', 'refunded', 'canceled')),
    CONSTRAINT orders_fulfillment CHECK (fulfillment_status IN ('processing', 'shipped', 'delivered', 'canceled')),
    CONSTRAINT orders_canceled CHECK ((status = 'canceled') = (fulfillment_status = 'canceled')),
    CONSTRAINT orders_total CHECK (total = subtotal + shipping + tax AND subtotal >= 0 AND shipping >= 0 AND tax >= 0)
) STRICT;
INSERT INTO orders_new
SELECT o.project_id, o.id, o.checkout_id, o.session_id, o.confirmation,
    CASE WHEN o.status = 'confirmed' AND p.status = 'refunded' THEN 'refunded' ELSE o.status END,
    o.lines, o.address, o.email, o.notes, o.currency, o.subtotal, o.shipping, o.tax, o.savings, o.total, o.fulfillment,
    o.fulfillment_status, o.created_at, 1
FROM orders AS o
LEFT JOIN payments AS p ON p.project_id = o.project_id AND p.order_id = o.id;
DROP TABLE orders;
ALTER TABLE orders_new RENAME TO orders;
CREATE INDEX orders_newest ON orders (project_id, created_at, id);
CREATE INDEX orders_of_session ON orders (project_id, session_id);
-- +goose StatementBegin
CREATE TRIGGER orders_told AFTER INSERT ON orders
BEGIN
    INSERT INTO analytics_pending (project_id, session_id, record_id)
    VALUES (NEW.project_id, NEW.session_id, NEW.id)
    ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd

-- A refund made elsewhere may take what a pending one of ours is for, so only what was refunded is bounded by
-- what was paid. disputed is what disputes hold back at present. A charge is also looked up without its
-- provider.
CREATE TABLE payments_new (
    project_id     TEXT NOT NULL,
    id             TEXT NOT NULL,
    order_id       TEXT NOT NULL,
    status         TEXT NOT NULL,
    currency       TEXT NOT NULL,
    amount         INTEGER NOT NULL,
    method         TEXT NOT NULL,
    label          TEXT NOT NULL,
    gateway        TEXT NOT NULL,
    integration_id TEXT NOT NULL,
    provider       TEXT NOT NULL,
    refunded       INTEGER NOT NULL,
    refunding      INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    disputed       INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, id),
    CONSTRAINT payments_order UNIQUE (project_id, order_id),
    CONSTRAINT payments_amount CHECK (amount >= 0),
    CONSTRAINT payments_disputed CHECK (disputed >= 0),
    CONSTRAINT payments_refunds CHECK (refunded >= 0 AND refunding >= 0 AND refunded <= amount AND refunding <= amount),
    CONSTRAINT payments_status CHECK (status = CASE
        WHEN refunded = 0 THEN 'succeeded'
        WHEN refunded < amount THEN 'partially_refunded'
        ELSE 'refunded'
    END)
) STRICT;
INSERT INTO payments_new
SELECT project_id, id, order_id, status, currency, amount, method, label, gateway, integration_id, provider, refunded,
    refunding, created_at, 0
FROM payments;
DROP TABLE payments;
ALTER TABLE payments_new RENAME TO payments;
CREATE UNIQUE INDEX payments_charge ON payments (project_id, provider, gateway) WHERE provider <> '';
CREATE INDEX payments_newest ON payments (project_id, created_at, id);

-- allocation is which lines of the order the pieces are of; empty in returns of earlier releases.
ALTER TABLE returns ADD COLUMN allocation TEXT NOT NULL DEFAULT '[]';

-- An external refund was not requested here: it has the provider's id, and nobody asks for it.
-- reversed_at is when a refund failed that had succeeded.
CREATE TABLE refunds_new (
    project_id  TEXT NOT NULL,
    id          TEXT NOT NULL,
    order_id    TEXT NOT NULL,
    payment_id  TEXT NOT NULL,
    return_id   TEXT NOT NULL,
    status      TEXT    NOT NULL CONSTRAINT refunds_status CHECK (status IN ('pending', 'succeeded', 'failed')),
    currency    TEXT    NOT NULL,
    amount      INTEGER NOT NULL CONSTRAINT refunds_amount CHECK (amount > 0),
    reason      TEXT    NOT NULL,
    failure     TEXT    NOT NULL,
    provider    TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    due_at      INTEGER,
    origin      TEXT    NOT NULL DEFAULT 'requested' CONSTRAINT refunds_origin CHECK (origin IN ('requested', 'external')),
    reversed_at INTEGER,
    PRIMARY KEY (project_id, id),
    CONSTRAINT refunds_due CHECK ((status = 'pending' AND origin = 'requested') = (due_at IS NOT NULL)),
    CONSTRAINT refunds_named CHECK (origin = 'requested' OR provider <> ''),
    CONSTRAINT refunds_reversed CHECK (reversed_at IS NULL OR status = 'failed')
) STRICT;
INSERT INTO refunds_new
SELECT project_id, id, order_id, payment_id, return_id, status, currency, amount, reason, failure, provider, created_at,
    updated_at, attempts, due_at, 'requested', NULL
FROM refunds;
DROP TABLE refunds;
ALTER TABLE refunds_new RENAME TO refunds;
CREATE INDEX refunds_of_payment ON refunds (project_id, payment_id, created_at, id);
CREATE UNIQUE INDEX refunds_of_return ON refunds (project_id, return_id) WHERE return_id <> '';
CREATE UNIQUE INDEX refunds_external ON refunds (project_id, payment_id, provider) WHERE origin = 'external';
CREATE INDEX refunds_newest ON refunds (project_id, created_at, id);
CREATE INDEX refunds_succeeded ON refunds (project_id, updated_at) WHERE status = 'succeeded';
CREATE INDEX refunds_waiting ON refunds (project_id, due_at) WHERE due_at IS NOT NULL;

-- withdrawn and fee are totals, in the currency of the provider's balance. steps is how many transactions of
-- the ledger recorded them.
CREATE TABLE disputes (
    project_id         TEXT NOT NULL,
    id                 TEXT NOT NULL,
    order_id           TEXT NOT NULL,
    payment_id         TEXT NOT NULL,
    gateway            TEXT NOT NULL,
    provider           TEXT NOT NULL CONSTRAINT disputes_provider CHECK (provider <> ''),
    status             TEXT NOT NULL CONSTRAINT disputes_status CHECK (status IN ('open', 'won', 'lost')),
    reason             TEXT NOT NULL,
    currency           TEXT NOT NULL,
    amount             INTEGER NOT NULL CONSTRAINT disputes_amount CHECK (amount >= 0),
    withdrawn_currency TEXT NOT NULL,
    withdrawn          INTEGER NOT NULL,
    fee_currency       TEXT NOT NULL,
    fee                INTEGER NOT NULL,
    steps              INTEGER NOT NULL CONSTRAINT disputes_steps CHECK (steps >= 0),
    reported_at        INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT disputes_reported UNIQUE (project_id, gateway, provider)
) STRICT;
CREATE INDEX disputes_of_order ON disputes (project_id, order_id);
CREATE INDEX disputes_of_payment ON disputes (project_id, payment_id);

-- reference is the provider's id of what has no row here (a fee, a payout, an adjustment, a charge without an
-- order), and the number of the step of a dispute.
CREATE TABLE ledger_transactions_new (
    project_id TEXT NOT NULL,
    id         TEXT NOT NULL,
    kind       TEXT NOT NULL,
    order_id   TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    refund_id  TEXT NOT NULL,
    provider   TEXT NOT NULL,
    at         INTEGER NOT NULL,
    dispute_id TEXT NOT NULL DEFAULT '',
    reference  TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (project_id, id),
    CONSTRAINT ledger_transactions_kind CHECK (CASE
        WHEN kind = 'sale' THEN order_id <> '' AND payment_id <> '' AND refund_id = '' AND dispute_id = '' AND reference = ''
        WHEN kind IN ('refund', 'refund_reversal')
            THEN order_id <> '' AND payment_id <> '' AND refund_id <> '' AND dispute_id = '' AND reference = ''
        WHEN kind = 'dispute' THEN order_id <> '' AND payment_id <> '' AND refund_id = '' AND dispute_id <> '' AND reference <> ''
        WHEN kind IN ('fee', 'payout', 'adjustment', 'orphan', 'orphan_refund')
            THEN refund_id = '' AND dispute_id = '' AND reference <> '' AND (order_id = '') = (payment_id = '')
        ELSE FALSE
    END)
) STRICT;
INSERT INTO ledger_transactions_new
SELECT project_id, id, kind, order_id, payment_id, refund_id, provider, at, '', ''
FROM ledger_transactions;
DROP TABLE ledger_transactions;
ALTER TABLE ledger_transactions_new RENAME TO ledger_transactions;
CREATE UNIQUE INDEX ledger_transactions_sale ON ledger_transactions (project_id, payment_id) WHERE kind = 'sale';
CREATE UNIQUE INDEX ledger_transactions_refund ON ledger_transactions (project_id, refund_id) WHERE kind = 'refund';
CREATE UNIQUE INDEX ledger_transactions_reversal ON ledger_transactions (project_id, refund_id) WHERE kind = 'refund_reversal';
CREATE UNIQUE INDEX ledger_transactions_dispute ON ledger_transactions (project_id, dispute_id, reference) WHERE dispute_id <> '';
CREATE UNIQUE INDEX ledger_transactions_reference ON ledger_transactions (project_id, provider, reference, kind)
    WHERE reference <> '' AND dispute_id = '';
CREATE INDEX ledger_transactions_newest ON ledger_transactions (project_id, at, id);

-- +goose StatementBegin
CREATE TRIGGER ledger_transactions_unchanged BEFORE UPDATE ON ledger_transactions
BEGIN
    SELECT RAISE(ABORT, 'the ledger is only added to');
END;
-- +goose StatementEnd
-- What belongs to no order goes after all orders of the project.
-- +goose StatementBegin
CREATE TRIGGER ledger_transactions_kept BEFORE DELETE ON ledger_transactions
WHEN EXISTS (SELECT 1 FROM orders WHERE project_id = OLD.project_id AND (OLD.order_id = '' OR id = OLD.order_id))
BEGIN
    SELECT RAISE(ABORT, 'the ledger is only added to');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER ledger_postings_kept BEFORE DELETE ON ledger_postings
WHEN EXISTS (SELECT 1 FROM ledger_transactions WHERE project_id = OLD.project_id AND id = OLD.transaction_id)
BEGIN
    SELECT RAISE(ABORT, 'the ledger is only added to');
END;
-- +goose StatementEnd

-- As in the second migration: the statistics of a large shop.
DELETE FROM sqlite_stat1
WHERE tbl IN ('orders', 'payments', 'refunds', 'ledger_transactions', 'orders_new', 'payments_new', 'refunds_new',
    'ledger_transactions_new');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('orders', 'sqlite_autoindex_orders_1', '20000 10000 1'),
    ('orders', 'sqlite_autoindex_orders_2', '20000 10000 1'),
    ('orders', 'sqlite_autoindex_orders_3', '20000 10000 1'),
    ('orders', 'orders_newest', '20000 10000 1 1'),
    ('orders', 'orders_of_session', '20000 10000 1'),
    ('payments', 'sqlite_autoindex_payments_1', '20000 10000 1'),
    ('payments', 'sqlite_autoindex_payments_2', '20000 10000 1'),
    ('payments', 'payments_charge', '20000 10000 1 1'),
    ('payments', 'payments_newest', '20000 10000 1 1'),
    ('refunds', 'sqlite_autoindex_refunds_1', '2000 1000 1'),
    ('refunds', 'refunds_of_payment', '2000 1000 2 1 1'),
    ('refunds', 'refunds_of_return', '1000 500 1'),
    ('refunds', 'refunds_external', '200 100 2 1'),
    ('refunds', 'refunds_newest', '2000 1000 1 1'),
    ('refunds', 'refunds_succeeded', '2000 1000 1'),
    ('refunds', 'refunds_waiting', '10 3 1'),
    ('disputes', 'sqlite_autoindex_disputes_1', '200 100 1'),
    ('disputes', 'sqlite_autoindex_disputes_2', '200 100 100 1'),
    ('disputes', 'disputes_of_order', '200 100 1'),
    ('disputes', 'disputes_of_payment', '200 100 1'),
    ('ledger_transactions', 'sqlite_autoindex_ledger_transactions_1', '44000 22000 1'),
    ('ledger_transactions', 'ledger_transactions_sale', '20000 10000 1'),
    ('ledger_transactions', 'ledger_transactions_refund', '2000 1000 1'),
    ('ledger_transactions', 'ledger_transactions_reversal', '20 10 1'),
    ('ledger_transactions', 'ledger_transactions_dispute', '400 200 2 1'),
    ('ledger_transactions', 'ledger_transactions_reference', '22000 11000 11000 1 1'),
    ('ledger_transactions', 'ledger_transactions_newest', '44000 22000 1 1');
ANALYZE sqlite_schema;
