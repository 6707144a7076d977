-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- The keys that projects give to agents that do not sign their requests. hash is the SHA-256 of the secret.
CREATE TABLE agent_keys (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id         TEXT COLLATE "C" NOT NULL,
    name       TEXT   NOT NULL,
    profile    TEXT   NOT NULL,
    hash       BYTEA  NOT NULL,
    prefix     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT,
    PRIMARY KEY (project_id, id),
    CONSTRAINT agent_keys_hash CHECK (length(hash) = 32)
);
-- A request with a key reads it by its hash.
CREATE UNIQUE INDEX agent_keys_secret ON agent_keys (project_id, hash);

ALTER TABLE agent_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON agent_keys USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_keys TO haggle_app;
