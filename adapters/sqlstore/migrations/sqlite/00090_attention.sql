-- +goose Up
-- What waits for a merchant, among all that does not.
CREATE INDEX refunds_of_project_unresolved ON refunds (project_id, created_at) WHERE due_at IS NOT NULL AND problem <> '';
CREATE INDEX disputes_open ON disputes (project_id, created_at) WHERE status = 'open';
CREATE INDEX returns_requested ON returns (project_id, created_at) WHERE status = 'requested';
CREATE INDEX orders_to_ship ON orders (project_id, created_at) WHERE fulfillment_status = 'processing' AND status = 'confirmed';

-- The planner's figures, as in 00002.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('refunds', 'refunds_of_project_unresolved', '100 50 1'),
    ('disputes', 'disputes_open', '100 50 1'),
    ('returns', 'returns_requested', '100 50 1'),
    ('orders', 'orders_to_ship', '1000 500 1');
ANALYZE sqlite_schema;
