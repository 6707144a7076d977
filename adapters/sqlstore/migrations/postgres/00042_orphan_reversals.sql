-- +goose Up
SET LOCAL lock_timeout = '3s';

-- The refund of an orphaned charge may fail after it had succeeded: the money is owed again. Refunds and reversals refer
-- to the provider's id of the refund, if there is one; those of earlier releases refer to the charge.
ALTER TABLE ledger_transactions
    DROP CONSTRAINT ledger_transactions_kind,
    ADD CONSTRAINT ledger_transactions_kind CHECK (CASE
        WHEN kind = 'sale' THEN order_id <> '' AND payment_id <> '' AND refund_id = '' AND dispute_id = '' AND reference = ''
        WHEN kind IN ('refund', 'refund_reversal')
            THEN order_id <> '' AND payment_id <> '' AND refund_id <> '' AND dispute_id = '' AND reference = ''
        WHEN kind = 'dispute' THEN order_id <> '' AND payment_id <> '' AND refund_id = '' AND dispute_id <> '' AND reference <> ''
        WHEN kind IN ('fee', 'payout', 'adjustment', 'orphan', 'orphan_refund', 'orphan_reversal')
            THEN refund_id = '' AND dispute_id = '' AND reference <> '' AND (order_id = '') = (payment_id = '')
        ELSE FALSE
    END) NOT VALID;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_transaction_balances() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    meanwhile TEXT := current_setting('haggle.project_id', true); -- the project that the transaction works in by now
    funds TEXT := 'funds:' || NEW.provider;
    code  TEXT;
    net   BIGINT; -- what the postings add to what the provider holds
    sound BOOLEAN;
BEGIN
    PERFORM set_config('haggle.project_id', NEW.project_id, true)
    WHERE meanwhile IS DISTINCT FROM NEW.project_id;
    SELECT min(currency), sum(CASE funds WHEN debit THEN amount ELSE -amount END),
        min(currency) = max(currency) AND bool_and(funds IN (debit, credit))
    INTO code, net, sound
    FROM ledger_postings
    WHERE project_id = NEW.project_id
      AND transaction_id = NEW.id;

    IF sound AND NEW.payment_id <> '' THEN
        sound := EXISTS (
            SELECT FROM payments
            WHERE project_id = NEW.project_id
              AND id = NEW.payment_id
              AND order_id = NEW.order_id
              AND (NEW.kind <> 'sale' OR (gateway, currency, amount) = (NEW.provider, code, net))
        );
    END IF;
    IF sound AND NEW.kind IN ('refund', 'refund_reversal') THEN
        sound := EXISTS (
            SELECT FROM refunds
            WHERE project_id = NEW.project_id
              AND id = NEW.refund_id
              AND payment_id = NEW.payment_id
              AND (currency, amount) = (code, CASE NEW.kind WHEN 'refund' THEN -net ELSE net END)
        );
    ELSIF sound AND NEW.kind IN ('orphan', 'orphan_refund', 'orphan_reversal') THEN
        sound := EXISTS (
            SELECT FROM orphan_charges
            WHERE project_id = NEW.project_id
              AND provider = NEW.provider
              AND (charge = NEW.reference OR refund = NEW.reference AND NEW.kind <> 'orphan')
              AND (currency, amount) = (code, CASE NEW.kind WHEN 'orphan_refund' THEN -net ELSE net END)
        );
    ELSIF sound AND NEW.kind = 'dispute' THEN
        sound := EXISTS (
            SELECT FROM disputes AS d
            WHERE d.project_id = NEW.project_id
              AND d.id = NEW.dispute_id
              AND d.payment_id = NEW.payment_id
              AND d.gateway = NEW.provider
              AND (d.steps, d.withdrawn, d.fee) = (
                SELECT count(DISTINCT t.id),
                    COALESCE(sum(CASE 'disputes' WHEN l.debit THEN l.amount WHEN l.credit THEN -l.amount END)
                        FILTER (WHERE l.currency = d.withdrawn_currency), 0),
                    COALESCE(sum(CASE 'fees' WHEN l.debit THEN l.amount WHEN l.credit THEN -l.amount END)
                        FILTER (WHERE l.currency = d.fee_currency), 0)
                FROM ledger_transactions AS t
                JOIN ledger_postings AS l ON l.project_id = t.project_id AND l.transaction_id = t.id
                WHERE t.project_id = d.project_id
                  AND t.dispute_id = d.id
              )
        );
    END IF;
    IF sound IS NOT TRUE THEN
        RAISE EXCEPTION 'the postings of % are not those of its %', NEW.id, NEW.kind
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_transactions_balance', TABLE = 'ledger_transactions';
    END IF;
    PERFORM set_config('haggle.project_id', COALESCE(meanwhile, ''), true)
    WHERE meanwhile IS DISTINCT FROM NEW.project_id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
