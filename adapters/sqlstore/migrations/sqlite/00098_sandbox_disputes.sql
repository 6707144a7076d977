-- +goose Up
-- Charges of the sandbox provider that are disputed: each once.
CREATE TABLE sandbox_disputes (
    project_id TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    charge_id  TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
    status     TEXT    NOT NULL CONSTRAINT sandbox_disputes_status CHECK (status IN ('open', 'won', 'lost')),
    response   TEXT    NOT NULL CONSTRAINT sandbox_disputes_response CHECK (response IN ('needed', 'under_review', 'closed')),
    currency   TEXT    NOT NULL,
    amount     INTEGER NOT NULL CONSTRAINT sandbox_disputes_amount CHECK (amount > 0),
    evidence   TEXT    NOT NULL,
    opened_at  INTEGER NOT NULL,
    due_by     INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT sandbox_disputes_charge UNIQUE (project_id, charge_id)
) STRICT;
