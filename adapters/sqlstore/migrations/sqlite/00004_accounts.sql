-- +goose Up
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
CREATE INDEX accounts_oldest ON accounts (created_at, id);

-- What an account proves itself with: one that is active, and one that is to take its place.
CREATE TABLE authenticators (
    id           TEXT NOT NULL PRIMARY KEY,
    account_id   TEXT NOT NULL REFERENCES accounts (id),
    secret       BLOB NOT NULL, -- sealed
    last_step    INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    activated_at INTEGER
) STRICT;
CREATE UNIQUE INDEX authenticators_active ON authenticators (account_id) WHERE activated_at IS NOT NULL;
CREATE UNIQUE INDEX authenticators_pending ON authenticators (account_id) WHERE activated_at IS NULL;

CREATE TABLE recovery_codes (
    authenticator_id TEXT NOT NULL REFERENCES authenticators (id) ON DELETE CASCADE,
    hash             BLOB NOT NULL,
    used             INTEGER NOT NULL,
    PRIMARY KEY (authenticator_id, hash),
    CONSTRAINT recovery_codes_hash_size CHECK (length(hash) = 32)
) STRICT, WITHOUT ROWID;

-- When an account gave wrong codes, as a JSON list of times.
CREATE TABLE mfa_tries (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
    wrong      TEXT NOT NULL
) STRICT;
