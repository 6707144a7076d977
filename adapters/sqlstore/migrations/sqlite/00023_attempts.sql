-- +goose Up
-- When the attempt in flight, or the last one, was claimed, by the database's clock.
ALTER TABLE checkouts ADD COLUMN claimed_at INTEGER;

-- Charges of payment attempts that were given up: no order comes of them, and they are refunded. id is the key
-- of the refund.
CREATE TABLE orphan_charges (
    project_id     TEXT NOT NULL,
    id             TEXT NOT NULL,
    checkout_id    TEXT NOT NULL,
    attempt        INTEGER NOT NULL,
    provider       TEXT    NOT NULL,
    integration_id TEXT    NOT NULL,
    charge         TEXT    NOT NULL, -- the provider's id
    currency       TEXT    NOT NULL,
    amount         INTEGER NOT NULL,
    status         TEXT    NOT NULL CONSTRAINT orphan_charges_status CHECK (status IN ('detected', 'refunding', 'refunded', 'failed')),
    failure        TEXT    NOT NULL,
    refund         TEXT    NOT NULL, -- the provider's id of the refund
    detected_at    INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    attempts       INTEGER NOT NULL,
    due_at         INTEGER,
    PRIMARY KEY (project_id, id),
    CONSTRAINT orphan_charges_charge UNIQUE (project_id, provider, charge),
    CONSTRAINT orphan_charges_due CHECK ((due_at IS NULL) = (status IN ('refunded', 'failed'))),
    CONSTRAINT orphan_charges_amount CHECK (amount >= 0)
) STRICT;
CREATE INDEX orphan_charges_due_at ON orphan_charges (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX orphan_charges_newest ON orphan_charges (project_id, detected_at, id);
