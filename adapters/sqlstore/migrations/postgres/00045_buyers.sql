-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- What is kept of a buyer is found by the e-mail address, in lower case from A to Z as SQLite has it.
CREATE INDEX orders_email ON orders (project_id, lower(email COLLATE "C"), session_id) WHERE email <> '';
CREATE INDEX checkouts_email ON checkouts
    (project_id, lower(COALESCE(substring(payment FROM '"email": ?"([^"]*)"'), '') COLLATE "C"), session_id) WHERE status <> 'completed';
DROP INDEX copies_customer;
CREATE INDEX copies_email ON copies (project_id, email) WHERE email <> '';
CREATE INDEX webhook_deliveries_held ON webhook_deliveries (project_id, id) WHERE payload IS NOT NULL;

-- The order or checkout that an event is about. Events of earlier releases are given theirs here.
ALTER TABLE outbox ADD COLUMN subject TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE outbox
SET subject = COALESCE(CAST(payload AS JSONB) -> 'data' ->> 'order_id', CAST(payload AS JSONB) -> 'data' ->> 'checkout_id', '')
WHERE type LIKE 'order.%' OR type LIKE 'return.%' OR type = 'checkout.abandoned';
CREATE INDEX outbox_about ON outbox (project_id, subject) WHERE subject <> '';

-- Whom a kept answer is about. An erased answer keeps its key: the request is not carried out again.
ALTER TABLE idempotency_keys
    ADD COLUMN subject TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN erased  BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX idempotency_keys_about ON idempotency_keys (subject) WHERE subject <> '';

-- Events of the audit log named a buyer by the e-mail address.
ALTER TABLE audit_events DISABLE TRIGGER audit_events_stay;
UPDATE audit_events SET target = '' WHERE action = 'create-buyer-token';
ALTER TABLE audit_events ENABLE TRIGGER audit_events_stay;
