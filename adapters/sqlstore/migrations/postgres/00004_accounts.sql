-- +goose Up
ALTER TABLE api_keys ADD COLUMN last_used_at BIGINT;
CREATE INDEX accounts_oldest ON accounts (created_at, id);

-- What an account proves itself with: one that is active, and one that is to take its place.
CREATE TABLE authenticators (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id   TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    secret       BYTEA NOT NULL, -- sealed
    last_step    BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    activated_at BIGINT
);
CREATE UNIQUE INDEX authenticators_active ON authenticators (account_id) WHERE activated_at IS NOT NULL;
CREATE UNIQUE INDEX authenticators_pending ON authenticators (account_id) WHERE activated_at IS NULL;

CREATE TABLE recovery_codes (
    authenticator_id TEXT COLLATE "C" NOT NULL REFERENCES authenticators (id) ON DELETE CASCADE,
    hash             BYTEA NOT NULL,
    used             BOOLEAN NOT NULL,
    PRIMARY KEY (authenticator_id, hash),
    CONSTRAINT recovery_codes_hash_size CHECK (octet_length(hash) = 32)
);

-- When an account gave wrong codes, as a JSON list of times.
CREATE TABLE mfa_tries (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    wrong      TEXT NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON authenticators, recovery_codes, mfa_tries TO haggle_app;
