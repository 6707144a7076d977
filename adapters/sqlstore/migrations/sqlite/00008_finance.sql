-- +goose Up
-- What follows a sale: refunds, decided returns, and the ledger. Orders, payments and returns are made
-- anew, for SQLite changes no constraint in place.
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
    PRIMARY KEY (project_id, id),
    CONSTRAINT orders_checkout UNIQUE (project_id, checkout_id),
    CONSTRAINT orders_confirmation UNIQUE (project_id, confirmation),
    CONSTRAINT orders_status CHECK (status IN ('confirmed', 'canceled')),
    CONSTRAINT orders_fulfillment CHECK (fulfillment_status IN ('processing', 'shipped', 'delivered', 'canceled')),
    CONSTRAINT orders_canceled CHECK ((status = 'canceled') = (fulfillment_status = 'canceled')),
    CONSTRAINT orders_total CHECK (total = subtotal + shipping + tax AND subtotal >= 0 AND shipping >= 0 AND tax >= 0)
) STRICT;
INSERT INTO orders_new
SELECT project_id, id, checkout_id, session_id, confirmation, status, lines, address, email, notes,
    currency, subtotal, shipping, tax, savings, total, fulfillment, 'processing', created_at
FROM orders;
DROP TABLE orders;
ALTER TABLE orders_new RENAME TO orders;
CREATE INDEX orders_newest ON orders (project_id, created_at, id);
CREATE INDEX orders_of_session ON orders (project_id, session_id);

-- The provider is gateway; its id of the charge is provider.
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
    PRIMARY KEY (project_id, id),
    CONSTRAINT payments_order UNIQUE (project_id, order_id),
    CONSTRAINT payments_amount CHECK (amount >= 0),
    CONSTRAINT payments_refunds CHECK (refunded >= 0 AND refunding >= 0 AND refunded + refunding <= amount),
    CONSTRAINT payments_status CHECK (status = CASE
        WHEN refunded = 0 THEN 'succeeded'
        WHEN refunded < amount THEN 'partially_refunded'
        ELSE 'refunded'
    END)
) STRICT;
INSERT INTO payments_new
SELECT project_id, id, order_id, status, currency, amount, method, label, 'sandbox', '', provider, 0, 0, created_at
FROM payments;
DROP TABLE payments;
ALTER TABLE payments_new RENAME TO payments;
CREATE UNIQUE INDEX payments_charge ON payments (project_id, gateway, provider) WHERE provider <> '';
CREATE INDEX payments_newest ON payments (project_id, created_at, id);

CREATE TABLE returns_new (
    project_id   TEXT NOT NULL,
    id           TEXT NOT NULL,
    order_id     TEXT NOT NULL,
    status       TEXT NOT NULL CONSTRAINT returns_status CHECK (status IN ('requested', 'approved', 'rejected')),
    items        TEXT NOT NULL,
    comment      TEXT NOT NULL,
    currency     TEXT NOT NULL,
    estimate     INTEGER NOT NULL CONSTRAINT returns_estimate CHECK (estimate >= 0),
    instructions TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    refund_id    TEXT NOT NULL,
    reason       TEXT NOT NULL,
    restocked    TEXT NOT NULL,
    decided_at   INTEGER,
    PRIMARY KEY (project_id, id),
    CONSTRAINT returns_decided CHECK ((status = 'requested') = (decided_at IS NULL))
) STRICT;
INSERT INTO returns_new
SELECT project_id, id, order_id, status, items, comment, currency, estimate, instructions, created_at,
    '', '', '[]', CASE status WHEN 'requested' THEN NULL ELSE created_at END
FROM returns;
DROP TABLE returns;
ALTER TABLE returns_new RENAME TO returns;
CREATE INDEX returns_of_order ON returns (project_id, order_id);
CREATE INDEX returns_newest ON returns (project_id, created_at, id);

-- due_at is when a pending refund may be asked for, by whoever comes first.
CREATE TABLE refunds (
    project_id TEXT NOT NULL,
    id         TEXT NOT NULL,
    order_id   TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    return_id  TEXT NOT NULL,
    status     TEXT NOT NULL CONSTRAINT refunds_status CHECK (status IN ('pending', 'succeeded', 'failed')),
    currency   TEXT NOT NULL,
    amount     INTEGER NOT NULL CONSTRAINT refunds_amount CHECK (amount > 0),
    reason     TEXT NOT NULL,
    failure    TEXT NOT NULL,
    provider   TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    attempts   INTEGER NOT NULL,
    due_at     INTEGER,
    PRIMARY KEY (project_id, id),
    CONSTRAINT refunds_due CHECK ((status = 'pending') = (due_at IS NOT NULL))
) STRICT;
CREATE INDEX refunds_of_payment ON refunds (project_id, payment_id, created_at, id);
CREATE UNIQUE INDEX refunds_of_return ON refunds (project_id, return_id) WHERE return_id <> '';
CREATE INDEX refunds_succeeded ON refunds (project_id, updated_at) WHERE status = 'succeeded';
CREATE INDEX refunds_waiting ON refunds (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE ledger_transactions (
    project_id TEXT NOT NULL,
    id         TEXT NOT NULL,
    kind       TEXT NOT NULL,
    order_id   TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    refund_id  TEXT NOT NULL,
    provider   TEXT NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT ledger_transactions_kind CHECK (kind = CASE WHEN refund_id = '' THEN 'sale' ELSE 'refund' END)
) STRICT;
CREATE UNIQUE INDEX ledger_transactions_sale ON ledger_transactions (project_id, payment_id) WHERE kind = 'sale';
CREATE UNIQUE INDEX ledger_transactions_refund ON ledger_transactions (project_id, refund_id) WHERE kind = 'refund';
CREATE INDEX ledger_transactions_newest ON ledger_transactions (project_id, at, id);

CREATE TABLE ledger_postings (
    project_id     TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    position       INTEGER NOT NULL,
    debit          TEXT NOT NULL,
    credit         TEXT NOT NULL,
    currency       TEXT NOT NULL,
    amount         INTEGER NOT NULL CONSTRAINT ledger_postings_amount CHECK (amount > 0),
    PRIMARY KEY (project_id, transaction_id, position),
    CONSTRAINT ledger_postings_accounts CHECK (debit <> credit)
) STRICT, WITHOUT ROWID;

-- What was sold before there was a ledger.
INSERT INTO ledger_transactions (project_id, id, kind, order_id, payment_id, refund_id, provider, at)
SELECT project_id, 'txn_' || substr(id, 5), 'sale', order_id, id, '', gateway, created_at
FROM payments
WHERE amount > 0;
INSERT INTO ledger_postings (project_id, transaction_id, position, debit, credit, currency, amount)
SELECT o.project_id, 'txn_' || substr(p.id, 5), part.position, 'funds:' || p.gateway, part.account, o.currency,
    CASE part.position WHEN 0 THEN o.subtotal WHEN 1 THEN o.shipping ELSE o.tax END AS amount
FROM orders AS o
JOIN payments AS p ON p.project_id = o.project_id AND p.order_id = o.id
CROSS JOIN (SELECT 0 AS position, 'sales' AS account UNION ALL SELECT 1, 'shipping' UNION ALL SELECT 2, 'tax') AS part
WHERE CASE part.position WHEN 0 THEN o.subtotal WHEN 1 THEN o.shipping ELSE o.tax END > 0;

-- Rows of the ledger are only added. They go with their order, when its project is deleted: the order
-- first, then its transactions, then their postings.
-- +goose StatementBegin
CREATE TRIGGER ledger_transactions_unchanged BEFORE UPDATE ON ledger_transactions
BEGIN
    SELECT RAISE(ABORT, 'the ledger is only added to');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER ledger_postings_unchanged BEFORE UPDATE ON ledger_postings
BEGIN
    SELECT RAISE(ABORT, 'the ledger is only added to');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER ledger_transactions_kept BEFORE DELETE ON ledger_transactions
WHEN EXISTS (SELECT 1 FROM orders WHERE project_id = OLD.project_id AND id = OLD.order_id)
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
DELETE FROM sqlite_stat1 WHERE tbl IN ('orders', 'payments', 'returns', 'orders_new', 'payments_new', 'returns_new');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('orders', 'sqlite_autoindex_orders_1', '20000 10000 1'),
    ('orders', 'sqlite_autoindex_orders_2', '20000 10000 1'),
    ('orders', 'sqlite_autoindex_orders_3', '20000 10000 1'),
    ('orders', 'orders_newest', '20000 10000 1 1'),
    ('orders', 'orders_of_session', '20000 10000 1'),
    ('payments', 'sqlite_autoindex_payments_1', '20000 10000 1'),
    ('payments', 'sqlite_autoindex_payments_2', '20000 10000 1'),
    ('payments', 'payments_charge', '20000 10000 5000 1'),
    ('payments', 'payments_newest', '20000 10000 1 1'),
    ('returns', 'sqlite_autoindex_returns_1', '2000 1000 1'),
    ('returns', 'returns_of_order', '2000 1000 2'),
    ('returns', 'returns_newest', '2000 1000 1 1'),
    ('refunds', 'sqlite_autoindex_refunds_1', '2000 1000 1'),
    ('refunds', 'refunds_of_payment', '2000 1000 2 1 1'),
    ('refunds', 'refunds_of_return', '1000 500 1'),
    ('refunds', 'refunds_succeeded', '2000 1000 1'),
    ('refunds', 'refunds_waiting', '10 1'),
    ('ledger_transactions', 'sqlite_autoindex_ledger_transactions_1', '22000 11000 1'),
    ('ledger_transactions', 'ledger_transactions_sale', '20000 10000 1'),
    ('ledger_transactions', 'ledger_transactions_refund', '2000 1000 1'),
    ('ledger_transactions', 'ledger_transactions_newest', '22000 11000 1 1'),
    ('ledger_postings', 'ledger_postings', '60000 30000 3 1');
ANALYZE sqlite_schema;
