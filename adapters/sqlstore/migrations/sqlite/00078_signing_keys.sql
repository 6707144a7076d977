-- +goose Up
-- The keys with which projects sign what they send to agents. x and y are the public part; sealed is the private part, of
-- keys that sign or will sign. What is not published any more has no row.
CREATE TABLE signing_keys (
    project_id   TEXT    NOT NULL REFERENCES projects (id),
    id           TEXT    NOT NULL,
    state        TEXT    NOT NULL CONSTRAINT signing_keys_state CHECK (state IN ('next', 'current', 'retired')),
    x            BLOB    NOT NULL,
    y            BLOB    NOT NULL,
    sealed       BLOB    NOT NULL,
    published_at INTEGER NOT NULL,
    current_at   INTEGER,
    retired_at   INTEGER,
    PRIMARY KEY (project_id, id),
    CONSTRAINT signing_keys_point CHECK (length(x) = 32 AND length(y) = 32),
    CONSTRAINT signing_keys_private CHECK ((length(sealed) > 0) = (state <> 'retired')),
    CONSTRAINT signing_keys_times CHECK ((current_at IS NULL) = (state = 'next') AND (retired_at IS NOT NULL) = (state = 'retired'))
) STRICT;
CREATE UNIQUE INDEX signing_keys_one ON signing_keys (project_id, state) WHERE state <> 'retired';
