-- +goose Up
-- What the sandbox provider gave back, each once.
CREATE TABLE sandbox_refunds (
    project_id TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    charge_id  TEXT    NOT NULL,
    currency   TEXT    NOT NULL,
    amount     INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, key),
    CONSTRAINT sandbox_refunds_amount CHECK (amount > 0)
) STRICT;
CREATE INDEX sandbox_refunds_charge ON sandbox_refunds (project_id, charge_id);
CREATE INDEX sandbox_charges_paid ON sandbox_charges (project_id, id) WHERE result = 'paid';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('sandbox_refunds', 'sandbox_refunds_charge', '10000 1000 1'),
    ('sandbox_charges', 'sandbox_charges_paid', '100000 10000 1');
ANALYZE sqlite_schema;
