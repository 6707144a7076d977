-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Lists of one state or kind are read by key from any place, however long the history of all others is.
CREATE INDEX orders_by_status ON orders (project_id, status, created_at, id);
CREATE INDEX orders_by_fulfillment ON orders (project_id, fulfillment_status, created_at, id);
CREATE INDEX returns_by_status ON returns (project_id, status, created_at, id);
CREATE INDEX payments_by_status ON payments (project_id, status, created_at, id);
CREATE INDEX ledger_transactions_by_kind ON ledger_transactions (project_id, kind, at, id);
CREATE INDEX audit_events_by_action ON audit_events (account_id, action, at, id);
CREATE INDEX audit_events_by_member ON audit_events (account_id, member_id, at, id);
CREATE INDEX audit_events_by_key ON audit_events (account_id, key_id, at, id);

-- With one account, or few, events of a period are read by their time alone.
DROP INDEX audit_events_oldest;
CREATE INDEX audit_events_oldest ON audit_events (at, id);

-- orders_email is no help to lists: under row-level security lower(email) is not looked up in an index.
CREATE INDEX orders_by_email ON orders (project_id, email, created_at, id);
