-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- A decision with probe = 1 is its session's first about the product within an hour, by a client that is known. So of each
-- session there is one row to count, however many decisions it has: see haggling's andProbedProduct.
ALTER TABLE decisions ADD COLUMN probe INTEGER NOT NULL DEFAULT 0;
CREATE INDEX decisions_probes ON decisions (project_id, client, product_id, at, session_id) WHERE probe = 1;
