-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- The keys with which projects sign what they send to agents. x and y are the public part; sealed is the private part, of
-- keys that sign or will sign. What is not published any more has no row.
CREATE TABLE signing_keys (
    project_id   TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id           TEXT COLLATE "C" NOT NULL,
    state        TEXT   NOT NULL CONSTRAINT signing_keys_state CHECK (state IN ('next', 'current', 'retired')),
    x            BYTEA  NOT NULL,
    y            BYTEA  NOT NULL,
    sealed       BYTEA  NOT NULL,
    published_at BIGINT NOT NULL,
    current_at   BIGINT,
    retired_at   BIGINT,
    PRIMARY KEY (project_id, id),
    CONSTRAINT signing_keys_point CHECK (length(x) = 32 AND length(y) = 32),
    CONSTRAINT signing_keys_private CHECK ((length(sealed) > 0) = (state <> 'retired')),
    CONSTRAINT signing_keys_times CHECK ((current_at IS NULL) = (state = 'next') AND (retired_at IS NOT NULL) = (state = 'retired'))
);
CREATE UNIQUE INDEX signing_keys_one ON signing_keys (project_id, state) WHERE state <> 'retired';

ALTER TABLE signing_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE signing_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON signing_keys USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON signing_keys TO haggle_app;
