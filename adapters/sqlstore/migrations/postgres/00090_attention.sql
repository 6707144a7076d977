-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- What waits for a merchant, among all that does not.
CREATE INDEX refunds_of_project_unresolved ON refunds (project_id, created_at) WHERE due_at IS NOT NULL AND problem <> '';
CREATE INDEX disputes_open ON disputes (project_id, created_at) WHERE status = 'open';
CREATE INDEX returns_requested ON returns (project_id, created_at) WHERE status = 'requested';
CREATE INDEX orders_to_ship ON orders (project_id, created_at) WHERE fulfillment_status = 'processing' AND status = 'confirmed';
