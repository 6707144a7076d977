-- +goose NO TRANSACTION
-- +goose Up
-- Lists of one state or kind are read by key from any place, however long the history of all others is. Servers go on while
-- the indexes are built. What an attempt left that was broken off is removed first.
DROP INDEX CONCURRENTLY IF EXISTS orders_by_status;
CREATE INDEX CONCURRENTLY orders_by_status ON orders (project_id, status, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS orders_by_fulfillment;
CREATE INDEX CONCURRENTLY orders_by_fulfillment ON orders (project_id, fulfillment_status, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS returns_by_status;
CREATE INDEX CONCURRENTLY returns_by_status ON returns (project_id, status, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS payments_by_status;
CREATE INDEX CONCURRENTLY payments_by_status ON payments (project_id, status, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS ledger_transactions_by_kind;
CREATE INDEX CONCURRENTLY ledger_transactions_by_kind ON ledger_transactions (project_id, kind, at, id);
DROP INDEX CONCURRENTLY IF EXISTS audit_events_by_action;
CREATE INDEX CONCURRENTLY audit_events_by_action ON audit_events (account_id, action, at, id);
DROP INDEX CONCURRENTLY IF EXISTS audit_events_by_member;
CREATE INDEX CONCURRENTLY audit_events_by_member ON audit_events (account_id, member_id, at, id);
DROP INDEX CONCURRENTLY IF EXISTS audit_events_by_key;
CREATE INDEX CONCURRENTLY audit_events_by_key ON audit_events (account_id, key_id, at, id);

-- With one account, or few, events of a period are read by their time alone.
DROP INDEX CONCURRENTLY IF EXISTS audit_events_oldest;
CREATE INDEX CONCURRENTLY audit_events_oldest ON audit_events (at, id);

-- orders_email is no help to lists: under row-level security lower(email) is not looked up in an index.
DROP INDEX CONCURRENTLY IF EXISTS orders_by_email;
CREATE INDEX CONCURRENTLY orders_by_email ON orders (project_id, email, created_at, id);
