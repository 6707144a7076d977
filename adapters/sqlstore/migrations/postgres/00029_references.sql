-- +goose Up
-- Every row about money refers to what it is about, and every transaction of the ledger adds up to its payment, refund,
-- dispute or orphan charge. The keys hold for new rows at once. 00031 checks the rows that there are, in a transaction of
-- its own, without the locks that adding a key takes. The program begins again when it does not get those locks in time.
SET LOCAL lock_timeout = '3s';

ALTER TABLE orders ADD CONSTRAINT orders_checkout_fkey
    FOREIGN KEY (project_id, checkout_id) REFERENCES checkouts (project_id, id) NOT VALID;
ALTER TABLE payments ADD CONSTRAINT payments_order_fkey
    FOREIGN KEY (project_id, order_id) REFERENCES orders (project_id, id) NOT VALID;
ALTER TABLE refunds ADD CONSTRAINT refunds_payment_fkey
    FOREIGN KEY (project_id, payment_id) REFERENCES payments (project_id, id) NOT VALID;
ALTER TABLE returns ADD CONSTRAINT returns_order_fkey
    FOREIGN KEY (project_id, order_id) REFERENCES orders (project_id, id) NOT VALID;
ALTER TABLE disputes
    ADD CONSTRAINT disputes_order_fkey FOREIGN KEY (project_id, order_id) REFERENCES orders (project_id, id) NOT VALID,
    ADD CONSTRAINT disputes_payment_fkey FOREIGN KEY (project_id, payment_id) REFERENCES payments (project_id, id) NOT VALID;
ALTER TABLE orphan_charges ADD CONSTRAINT orphan_charges_checkout_fkey
    FOREIGN KEY (project_id, checkout_id) REFERENCES checkouts (project_id, id) NOT VALID;
CREATE INDEX orphan_charges_checkout ON orphan_charges (project_id, checkout_id);
ALTER TABLE ledger_postings ADD CONSTRAINT ledger_postings_transaction_fkey
    FOREIGN KEY (project_id, transaction_id) REFERENCES ledger_transactions (project_id, id) DEFERRABLE INITIALLY DEFERRED NOT VALID;

-- A transaction names its payment, refund and dispute, or has '' for none, so these references are triggers. They are
-- checked when the database transaction commits, whatever project it works in by then.
-- +goose StatementBegin
CREATE FUNCTION ledger_transaction_balances() RETURNS trigger LANGUAGE plpgsql AS $$
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
    ELSIF sound AND NEW.kind IN ('orphan', 'orphan_refund') THEN
        sound := EXISTS (
            SELECT FROM orphan_charges
            WHERE project_id = NEW.project_id
              AND provider = NEW.provider
              AND charge = NEW.reference
              AND (currency, amount) = (code, CASE NEW.kind WHEN 'orphan' THEN net ELSE -net END)
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
CREATE CONSTRAINT TRIGGER ledger_transactions_balance AFTER INSERT ON ledger_transactions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_transaction_balances();

-- +goose StatementBegin
CREATE FUNCTION ledger_postings_complete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM added) <> (
        SELECT count(*)
        FROM ledger_postings
        WHERE (project_id, transaction_id) IN (SELECT project_id, transaction_id FROM added)
    ) THEN
        RAISE EXCEPTION 'all postings of a transaction are written at once'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_postings_complete', TABLE = 'ledger_postings';
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER ledger_postings_complete AFTER INSERT ON ledger_postings REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_postings_complete();

-- What the ledger is about goes after the ledger.
-- +goose StatementBegin
CREATE FUNCTION in_the_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (CASE TG_TABLE_NAME
        WHEN 'payments' THEN EXISTS (
            SELECT FROM ledger_transactions WHERE project_id = OLD.project_id AND payment_id = OLD.id AND kind = 'sale')
        WHEN 'refunds' THEN EXISTS (
            SELECT FROM ledger_transactions WHERE project_id = OLD.project_id AND refund_id = OLD.id AND kind = 'refund')
        ELSE EXISTS (
            SELECT FROM ledger_transactions WHERE project_id = OLD.project_id AND dispute_id = OLD.id AND dispute_id <> '')
    END) THEN
        RAISE EXCEPTION 'the ledger refers to it'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'ledger_transactions_' || TG_TABLE_NAME, TABLE = 'ledger_transactions';
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER in_the_ledger BEFORE DELETE OR UPDATE OF project_id, id ON payments
    FOR EACH ROW EXECUTE FUNCTION in_the_ledger();
CREATE TRIGGER in_the_ledger BEFORE DELETE OR UPDATE OF project_id, id ON refunds
    FOR EACH ROW EXECUTE FUNCTION in_the_ledger();
CREATE TRIGGER in_the_ledger BEFORE DELETE OR UPDATE OF project_id, id ON disputes
    FOR EACH ROW EXECUTE FUNCTION in_the_ledger();
