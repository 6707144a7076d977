-- +goose Up
-- Lists of one state or kind are read by key from any place, however long the history of all others is.
CREATE INDEX orders_by_status ON orders (project_id, status, created_at, id);
CREATE INDEX orders_by_fulfillment ON orders (project_id, fulfillment_status, created_at, id);
CREATE INDEX orders_by_email ON orders (project_id, email, created_at, id);
CREATE INDEX returns_by_status ON returns (project_id, status, created_at, id);
CREATE INDEX payments_by_status ON payments (project_id, status, created_at, id);
CREATE INDEX ledger_transactions_by_kind ON ledger_transactions (project_id, kind, at, id);
CREATE INDEX audit_events_by_action ON audit_events (account_id, action, at, id);
CREATE INDEX audit_events_by_member ON audit_events (account_id, member_id, at, id);
CREATE INDEX audit_events_by_key ON audit_events (account_id, key_id, at, id);

-- With one account, or few, events of a period are read by their time alone.
DROP INDEX audit_events_oldest;
CREATE INDEX audit_events_oldest ON audit_events (at, id);

-- The planner's figures, as in 00002.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('orders', 'orders_by_status', '20000 10000 3000 1 1'),
    ('orders', 'orders_by_email', '20000 10000 2 1 1'),
    ('orders', 'orders_by_fulfillment', '20000 10000 2500 1 1'),
    ('returns', 'returns_by_status', '2000 1000 300 1 1'),
    ('payments', 'payments_by_status', '20000 10000 3000 1 1'),
    ('ledger_transactions', 'ledger_transactions_by_kind', '44000 22000 4000 1 1'),
    ('audit_events', 'audit_events_oldest', '100000 1 1'),
    ('audit_events', 'audit_events_newest', '100000 50000 1 1'),
    ('audit_events', 'audit_events_project', '100000 50000 25000 1 1'),
    ('audit_events', 'audit_events_by_action', '100000 50000 1000 1 1'),
    ('audit_events', 'audit_events_by_member', '100000 50000 5000 1 1'),
    ('audit_events', 'audit_events_by_key', '100000 50000 5000 1 1');
ANALYZE sqlite_schema;
