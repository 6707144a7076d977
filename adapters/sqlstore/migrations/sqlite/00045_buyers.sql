-- +goose Up
-- What is kept of a buyer is found by the e-mail address, in lower case.
CREATE INDEX orders_email ON orders (project_id, lower(email), session_id) WHERE email <> '';
CREATE INDEX checkouts_email ON checkouts
    (project_id, lower(COALESCE(CASE WHEN json_valid(payment) THEN payment ->> 'email' END, '')), session_id) WHERE status <> 'completed';
DROP INDEX copies_customer;
CREATE INDEX copies_email ON copies (project_id, email) WHERE email <> '';
CREATE INDEX webhook_deliveries_held ON webhook_deliveries (project_id, id) WHERE payload IS NOT NULL;

-- The order or checkout that an event is about. Events of earlier releases are given theirs here.
ALTER TABLE outbox ADD COLUMN subject TEXT NOT NULL DEFAULT '';
UPDATE outbox
SET subject = COALESCE(payload -> 'data' ->> 'order_id', payload -> 'data' ->> 'checkout_id', '')
WHERE type LIKE 'order.%' OR type LIKE 'return.%' OR type = 'checkout.abandoned';
CREATE INDEX outbox_about ON outbox (project_id, subject) WHERE subject <> '';

-- Whom a kept answer is about. An erased answer keeps its key: the request is not carried out again.
ALTER TABLE idempotency_keys ADD COLUMN subject TEXT NOT NULL DEFAULT '';
ALTER TABLE idempotency_keys ADD COLUMN erased INTEGER NOT NULL DEFAULT FALSE;
CREATE INDEX idempotency_keys_about ON idempotency_keys (subject) WHERE subject <> '';

-- Events of the audit log named a buyer by the e-mail address.
DROP TRIGGER audit_events_unchanged;
UPDATE audit_events SET target = '' WHERE action = 'create-buyer-token';
-- +goose StatementBegin
CREATE TRIGGER audit_events_unchanged BEFORE UPDATE ON audit_events
BEGIN
    SELECT RAISE(ABORT, 'audit events are only added');
END;
-- +goose StatementEnd

-- The planner's figures, as in 00002.
DELETE FROM sqlite_stat1 WHERE idx = 'copies_customer';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('copies', 'copies_email', '50000 25000 1'),
    ('orders', 'orders_email', '20000 10000 2 1'),
    ('checkouts', 'checkouts_email', '20000 10000 2 1'),
    ('outbox', 'outbox_about', '30000 15000 3'),
    ('webhook_deliveries', 'webhook_deliveries_held', '1000 500 1');
ANALYZE sqlite_schema;
