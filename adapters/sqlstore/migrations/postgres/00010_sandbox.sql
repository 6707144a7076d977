-- +goose Up
-- What the sandbox provider gave back, each once.
CREATE TABLE sandbox_refunds (
    project_id TEXT COLLATE "C" NOT NULL,
    key        TEXT COLLATE "C" NOT NULL,
    id         TEXT   NOT NULL,
    charge_id  TEXT COLLATE "C" NOT NULL,
    currency   TEXT   NOT NULL,
    amount     BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, key),
    CONSTRAINT sandbox_refunds_amount CHECK (amount > 0)
);
CREATE INDEX sandbox_refunds_charge ON sandbox_refunds (project_id, charge_id);
CREATE INDEX sandbox_charges_paid ON sandbox_charges (project_id, id) WHERE result = 'paid';
ALTER TABLE sandbox_refunds ENABLE ROW LEVEL SECURITY;
ALTER TABLE sandbox_refunds FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON sandbox_refunds USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON sandbox_refunds TO haggle_app;
