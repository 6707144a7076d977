-- +goose Up
-- The refund of an orphaned charge may fail after it had succeeded: the money is owed again. Refunds and reversals refer
-- to the provider's id of the refund, if there is one; those of earlier releases refer to the charge.

-- A wider CHECK needs no table to be made anew: sqlite.org/lang_altertable.html, section 8.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, '''orphan'', ''orphan_refund'')', '''orphan'', ''orphan_refund'', ''orphan_reversal'')')
WHERE type = 'table'
  AND name = 'ledger_transactions';
PRAGMA writable_schema = RESET;

DROP TRIGGER ledger_transactions_balance;
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
       OR NEW.kind IN ('orphan', 'orphan_refund', 'orphan_reversal') AND NOT EXISTS (
        SELECT 1 FROM orphan_charges
        WHERE project_id = NEW.project_id
          AND provider = NEW.provider
          AND (charge = NEW.reference OR refund = NEW.reference AND NEW.kind <> 'orphan')
          AND (currency, amount) = (code, CASE NEW.kind WHEN 'orphan_refund' THEN -net ELSE net END)
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
