-- +goose Up
SET LOCAL haggle.project_id = '*';

-- When the attempt in flight, or the last one, was claimed, by the database's clock.
ALTER TABLE checkouts ADD COLUMN claimed_at BIGINT;

-- Charges of payment attempts that were given up: no order comes of them, and they are refunded. id is the key
-- of the refund.
CREATE TABLE orphan_charges (
    project_id     TEXT COLLATE "C" NOT NULL,
    id             TEXT COLLATE "C" NOT NULL,
    checkout_id    TEXT COLLATE "C" NOT NULL,
    attempt        INTEGER NOT NULL,
    provider       TEXT    NOT NULL,
    integration_id TEXT    NOT NULL,
    charge         TEXT    NOT NULL, -- the provider's id
    currency       TEXT    NOT NULL,
    amount         BIGINT NOT NULL,
    status         TEXT    NOT NULL CONSTRAINT orphan_charges_status CHECK (status IN ('detected', 'refunding', 'refunded', 'failed')),
    failure        TEXT    NOT NULL,
    refund         TEXT    NOT NULL, -- the provider's id of the refund
    detected_at    BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    attempts       INTEGER NOT NULL,
    due_at         BIGINT,
    PRIMARY KEY (project_id, id),
    CONSTRAINT orphan_charges_charge UNIQUE (project_id, provider, charge),
    CONSTRAINT orphan_charges_due CHECK ((due_at IS NULL) = (status IN ('refunded', 'failed'))),
    CONSTRAINT orphan_charges_amount CHECK (amount >= 0)
);
CREATE INDEX orphan_charges_due_at ON orphan_charges (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX orphan_charges_newest ON orphan_charges (project_id, detected_at, id);
ALTER TABLE orphan_charges ENABLE ROW LEVEL SECURITY;
ALTER TABLE orphan_charges FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON orphan_charges USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON orphan_charges TO haggle_app;
