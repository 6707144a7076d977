-- +goose Up
-- The keys that projects give to agents that do not sign their requests. hash is the SHA-256 of the secret.
CREATE TABLE agent_keys (
    project_id TEXT    NOT NULL REFERENCES projects (id),
    id         TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    profile    TEXT    NOT NULL,
    hash       BLOB    NOT NULL,
    prefix     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    PRIMARY KEY (project_id, id),
    CONSTRAINT agent_keys_hash CHECK (length(hash) = 32)
) STRICT;
-- A request with a key reads it by its hash.
CREATE UNIQUE INDEX agent_keys_secret ON agent_keys (project_id, hash);
