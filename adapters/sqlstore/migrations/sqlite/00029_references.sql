-- +goose Up
-- Every row about money refers to what it is about, and every transaction of the ledger adds up to its payment, refund,
-- dispute or orphan charge. SQLite adds no key to a table that is there, and making the tables anew would fail for a
-- database with a row that breaks one. So the keys are triggers, which hold for what is written from now on.
-- haggle verify finds rows from before.

-- +goose StatementBegin
CREATE TRIGGER orders_refer BEFORE INSERT ON orders
BEGIN
    SELECT RAISE(ABORT, 'orders_checkout_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM checkouts WHERE project_id = NEW.project_id AND id = NEW.checkout_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_still_refer BEFORE UPDATE OF project_id, checkout_id ON orders
BEGIN
    SELECT RAISE(ABORT, 'orders_checkout_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM checkouts WHERE project_id = NEW.project_id AND id = NEW.checkout_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER payments_refer BEFORE INSERT ON payments
BEGIN
    SELECT RAISE(ABORT, 'payments_order_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM orders WHERE project_id = NEW.project_id AND id = NEW.order_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER payments_still_refer BEFORE UPDATE OF project_id, order_id ON payments
BEGIN
    SELECT RAISE(ABORT, 'payments_order_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM orders WHERE project_id = NEW.project_id AND id = NEW.order_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER refunds_refer BEFORE INSERT ON refunds
BEGIN
    SELECT RAISE(ABORT, 'refunds_payment_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM payments WHERE project_id = NEW.project_id AND id = NEW.payment_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER refunds_still_refer BEFORE UPDATE OF project_id, payment_id ON refunds
BEGIN
    SELECT RAISE(ABORT, 'refunds_payment_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM payments WHERE project_id = NEW.project_id AND id = NEW.payment_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER returns_refer BEFORE INSERT ON returns
BEGIN
    SELECT RAISE(ABORT, 'returns_order_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM orders WHERE project_id = NEW.project_id AND id = NEW.order_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER returns_still_refer BEFORE UPDATE OF project_id, order_id ON returns
BEGIN
    SELECT RAISE(ABORT, 'returns_order_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM orders WHERE project_id = NEW.project_id AND id = NEW.order_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER disputes_refer BEFORE INSERT ON disputes
BEGIN
    SELECT RAISE(ABORT, 'disputes_order_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM orders WHERE project_id = NEW.project_id AND id = NEW.order_id);
    SELECT RAISE(ABORT, 'disputes_payment_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM payments WHERE project_id = NEW.project_id AND id = NEW.payment_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER disputes_still_refer BEFORE UPDATE OF project_id, order_id, payment_id ON disputes
BEGIN
    SELECT RAISE(ABORT, 'disputes_order_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM orders WHERE project_id = NEW.project_id AND id = NEW.order_id);
    SELECT RAISE(ABORT, 'disputes_payment_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM payments WHERE project_id = NEW.project_id AND id = NEW.payment_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orphan_charges_refer BEFORE INSERT ON orphan_charges
BEGIN
    SELECT RAISE(ABORT, 'orphan_charges_checkout_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM checkouts WHERE project_id = NEW.project_id AND id = NEW.checkout_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orphan_charges_still_refer BEFORE UPDATE OF project_id, checkout_id ON orphan_charges
BEGIN
    SELECT RAISE(ABORT, 'orphan_charges_checkout_fkey')
    WHERE NOT EXISTS (SELECT 1 FROM checkouts WHERE project_id = NEW.project_id AND id = NEW.checkout_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER checkouts_referred BEFORE DELETE ON checkouts
BEGIN
    SELECT RAISE(ABORT, 'orders_checkout_fkey')
    WHERE EXISTS (SELECT 1 FROM orders WHERE project_id = OLD.project_id AND checkout_id = OLD.id);
    SELECT RAISE(ABORT, 'orphan_charges_checkout_fkey')
    WHERE EXISTS (SELECT 1 FROM orphan_charges WHERE project_id = OLD.project_id AND checkout_id = OLD.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER checkouts_still_referred BEFORE UPDATE OF project_id, id ON checkouts
WHEN (OLD.project_id, OLD.id) <> (NEW.project_id, NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'orders_checkout_fkey')
    WHERE EXISTS (SELECT 1 FROM orders WHERE project_id = OLD.project_id AND checkout_id = OLD.id);
    SELECT RAISE(ABORT, 'orphan_charges_checkout_fkey')
    WHERE EXISTS (SELECT 1 FROM orphan_charges WHERE project_id = OLD.project_id AND checkout_id = OLD.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_referred BEFORE DELETE ON orders
BEGIN
    SELECT RAISE(ABORT, 'payments_order_fkey')
    WHERE EXISTS (SELECT 1 FROM payments WHERE project_id = OLD.project_id AND order_id = OLD.id);
    SELECT RAISE(ABORT, 'returns_order_fkey')
    WHERE EXISTS (SELECT 1 FROM returns WHERE project_id = OLD.project_id AND order_id = OLD.id);
    SELECT RAISE(ABORT, 'disputes_order_fkey')
    WHERE EXISTS (SELECT 1 FROM disputes WHERE project_id = OLD.project_id AND order_id = OLD.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_still_referred BEFORE UPDATE OF project_id, id ON orders
WHEN (OLD.project_id, OLD.id) <> (NEW.project_id, NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'payments_order_fkey')
    WHERE EXISTS (SELECT 1 FROM payments WHERE project_id = OLD.project_id AND order_id = OLD.id);
    SELECT RAISE(ABORT, 'returns_order_fkey')
    WHERE EXISTS (SELECT 1 FROM returns WHERE project_id = OLD.project_id AND order_id = OLD.id);
    SELECT RAISE(ABORT, 'disputes_order_fkey')
    WHERE EXISTS (SELECT 1 FROM disputes WHERE project_id = OLD.project_id AND order_id = OLD.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER payments_referred BEFORE DELETE ON payments
BEGIN
    SELECT RAISE(ABORT, 'refunds_payment_fkey')
    WHERE EXISTS (SELECT 1 FROM refunds WHERE project_id = OLD.project_id AND payment_id = OLD.id);
    SELECT RAISE(ABORT, 'disputes_payment_fkey')
    WHERE EXISTS (SELECT 1 FROM disputes WHERE project_id = OLD.project_id AND payment_id = OLD.id);
    SELECT RAISE(ABORT, 'ledger_transactions_payments')
    WHERE EXISTS (SELECT 1 FROM ledger_transactions WHERE project_id = OLD.project_id AND payment_id = OLD.id AND kind = 'sale');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER payments_still_referred BEFORE UPDATE OF project_id, id ON payments
WHEN (OLD.project_id, OLD.id) <> (NEW.project_id, NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'refunds_payment_fkey')
    WHERE EXISTS (SELECT 1 FROM refunds WHERE project_id = OLD.project_id AND payment_id = OLD.id);
    SELECT RAISE(ABORT, 'disputes_payment_fkey')
    WHERE EXISTS (SELECT 1 FROM disputes WHERE project_id = OLD.project_id AND payment_id = OLD.id);
    SELECT RAISE(ABORT, 'ledger_transactions_payments')
    WHERE EXISTS (SELECT 1 FROM ledger_transactions WHERE project_id = OLD.project_id AND payment_id = OLD.id AND kind = 'sale');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER refunds_referred BEFORE DELETE ON refunds
BEGIN
    SELECT RAISE(ABORT, 'ledger_transactions_refunds')
    WHERE EXISTS (SELECT 1 FROM ledger_transactions WHERE project_id = OLD.project_id AND refund_id = OLD.id AND kind = 'refund');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER refunds_still_referred BEFORE UPDATE OF project_id, id ON refunds
WHEN (OLD.project_id, OLD.id) <> (NEW.project_id, NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'ledger_transactions_refunds')
    WHERE EXISTS (SELECT 1 FROM ledger_transactions WHERE project_id = OLD.project_id AND refund_id = OLD.id AND kind = 'refund');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER disputes_referred BEFORE DELETE ON disputes
BEGIN
    SELECT RAISE(ABORT, 'ledger_transactions_disputes')
    WHERE EXISTS (SELECT 1 FROM ledger_transactions WHERE project_id = OLD.project_id AND dispute_id = OLD.id AND dispute_id <> '');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER disputes_still_referred BEFORE UPDATE OF project_id, id ON disputes
WHEN (OLD.project_id, OLD.id) <> (NEW.project_id, NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'ledger_transactions_disputes')
    WHERE EXISTS (SELECT 1 FROM ledger_transactions WHERE project_id = OLD.project_id AND dispute_id = OLD.id AND dispute_id <> '');
END;
-- +goose StatementEnd
CREATE INDEX orphan_charges_checkout ON orphan_charges (project_id, checkout_id);

-- A transaction's postings are written before it, so that it can be checked when it is written, and none can be added
-- afterwards. Their reference to it is checked when the database transaction commits: SQLite has no trigger then.
CREATE TABLE ledger_postings_new (
    project_id     TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    position       INTEGER NOT NULL,
    debit          TEXT NOT NULL,
    credit         TEXT NOT NULL,
    currency       TEXT NOT NULL,
    amount         INTEGER NOT NULL CONSTRAINT ledger_postings_amount CHECK (amount > 0),
    PRIMARY KEY (project_id, transaction_id, position),
    CONSTRAINT ledger_postings_accounts CHECK (debit <> credit),
    CONSTRAINT ledger_postings_transaction_fkey FOREIGN KEY (project_id, transaction_id)
        REFERENCES ledger_transactions (project_id, id) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
INSERT INTO ledger_postings_new
SELECT project_id, transaction_id, position, debit, credit, currency, amount
FROM ledger_postings;
DROP TRIGGER ledger_postings_kept;
DROP TABLE ledger_postings;
ALTER TABLE ledger_postings_new RENAME TO ledger_postings;

-- +goose StatementBegin
CREATE TRIGGER ledger_postings_unchanged BEFORE UPDATE ON ledger_postings
BEGIN
    SELECT RAISE(ABORT, 'the ledger is only added to');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER ledger_postings_kept BEFORE DELETE ON ledger_postings
WHEN NOT EXISTS (SELECT 1 FROM projects WHERE id = OLD.project_id AND status = 'deleting')
    OR EXISTS (
        SELECT 1 FROM ledger_transactions
        WHERE project_id = OLD.project_id AND id = OLD.transaction_id AND provider <> 'sandbox'
    )
BEGIN
    SELECT RAISE(ABORT, 'the ledger is only added to');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER ledger_postings_complete BEFORE INSERT ON ledger_postings
WHEN EXISTS (SELECT 1 FROM ledger_transactions WHERE project_id = NEW.project_id AND id = NEW.transaction_id)
BEGIN
    SELECT RAISE(ABORT, 'ledger_postings_complete');
END;
-- +goose StatementEnd
-- net is what the postings add to what the provider holds. The steps of a dispute are written one after the other: the
-- last one is compared with it.
-- +goose StatementBegin
CREATE TRIGGER ledger_transactions_balance AFTER INSERT ON ledger_transactions
BEGIN
    SELECT RAISE(ABORT, 'ledger_transactions_balance')
    FROM (
        SELECT min(currency) AS code,
            sum(CASE 'funds:' || NEW.provider WHEN debit THEN amount ELSE -amount END) AS net,
            min(currency) = max(currency) AND min('funds:' || NEW.provider IN (debit, credit)) AS sound
        FROM ledger_postings
        WHERE project_id = NEW.project_id
          AND transaction_id = NEW.id
    ) AS postings
    WHERE NOT COALESCE(sound, FALSE)
       OR NEW.payment_id <> '' AND NOT EXISTS (
        SELECT 1 FROM payments
        WHERE project_id = NEW.project_id
          AND id = NEW.payment_id
          AND order_id = NEW.order_id
          AND (NEW.kind <> 'sale' OR (gateway, currency, amount) = (NEW.provider, code, net))
    )
       OR NEW.kind IN ('refund', 'refund_reversal') AND NOT EXISTS (
        SELECT 1 FROM refunds
        WHERE project_id = NEW.project_id
          AND id = NEW.refund_id
          AND payment_id = NEW.payment_id
          AND (currency, amount) = (code, CASE NEW.kind WHEN 'refund' THEN -net ELSE net END)
    )
       OR NEW.kind IN ('orphan', 'orphan_refund') AND NOT EXISTS (
        SELECT 1 FROM orphan_charges
        WHERE project_id = NEW.project_id
          AND provider = NEW.provider
          AND charge = NEW.reference
          AND (currency, amount) = (code, CASE NEW.kind WHEN 'orphan' THEN net ELSE -net END)
    )
       OR NEW.kind = 'dispute' AND NOT EXISTS (
        SELECT 1 FROM disputes AS d
        WHERE d.project_id = NEW.project_id
          AND d.id = NEW.dispute_id
          AND d.payment_id = NEW.payment_id
          AND d.gateway = NEW.provider
          AND (
            d.steps > (SELECT count(*) FROM ledger_transactions WHERE project_id = d.project_id AND dispute_id = d.id AND dispute_id <> '')
            OR (d.steps, d.withdrawn, d.fee) = (
                SELECT count(DISTINCT t.id),
                    COALESCE(sum(CASE 'disputes' WHEN l.debit THEN l.amount WHEN l.credit THEN -l.amount END)
                        FILTER (WHERE l.currency = d.withdrawn_currency), 0),
                    COALESCE(sum(CASE 'fees' WHEN l.debit THEN l.amount WHEN l.credit THEN -l.amount END)
                        FILTER (WHERE l.currency = d.fee_currency), 0)
                FROM ledger_transactions AS t
                JOIN ledger_postings AS l ON l.project_id = t.project_id AND l.transaction_id = t.id
                WHERE t.project_id = d.project_id
                  AND t.dispute_id = d.id
                  AND t.dispute_id <> ''
            )
          )
    );
END;
-- +goose StatementEnd

DELETE FROM sqlite_stat1 WHERE tbl IN ('ledger_postings', 'ledger_postings_new');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('ledger_postings', 'ledger_postings', '60000 30000 3 1'),
    ('orphan_charges', 'orphan_charges_checkout', '200 100 1');
ANALYZE sqlite_schema;
