-- +goose Up
SET LOCAL lock_timeout = '3s';

-- Charges of the sandbox provider that are disputed: each once.
CREATE TABLE sandbox_disputes (
    project_id TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    charge_id  TEXT COLLATE "C" NOT NULL,
    reason     TEXT   NOT NULL,
    status     TEXT   NOT NULL CONSTRAINT sandbox_disputes_status CHECK (status IN ('open', 'won', 'lost')),
    response   TEXT   NOT NULL CONSTRAINT sandbox_disputes_response CHECK (response IN ('needed', 'under_review', 'closed')),
    currency   TEXT   NOT NULL,
    amount     BIGINT NOT NULL CONSTRAINT sandbox_disputes_amount CHECK (amount > 0),
    evidence   TEXT   NOT NULL,
    opened_at  BIGINT NOT NULL,
    due_by     BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT sandbox_disputes_charge UNIQUE (project_id, charge_id)
);
ALTER TABLE sandbox_disputes ENABLE ROW LEVEL SECURITY;
ALTER TABLE sandbox_disputes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON sandbox_disputes USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON sandbox_disputes TO haggle_app;
