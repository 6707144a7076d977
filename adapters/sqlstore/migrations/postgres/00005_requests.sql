-- +goose Up
-- Answers by idempotency key. id is a hash of who asked, what, and the key; body is encrypted, for
-- answers hold secrets that are shown once. A row without status is of a request under way.
CREATE TABLE idempotency_keys (
    id           BYTEA   NOT NULL CONSTRAINT idempotency_keys_pkey PRIMARY KEY,
    fingerprint  BYTEA   NOT NULL,
    created_at   BIGINT  NOT NULL,
    lease_until  BIGINT  NOT NULL,
    status       INTEGER,
    content_type TEXT    NOT NULL,
    body         BYTEA,
    CONSTRAINT idempotency_keys_sizes CHECK (octet_length(id) = 32 AND octet_length(fingerprint) = 32),
    CONSTRAINT idempotency_keys_status CHECK (status BETWEEN 200 AND 499)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Who changed what. Projects are not referenced: the memory outlives them. Rows are only added.
CREATE TABLE audit_events (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    project_id TEXT COLLATE "C" NOT NULL,
    key_id     TEXT COLLATE "C" NOT NULL,
    action     TEXT   NOT NULL,
    target     TEXT   NOT NULL,
    address    TEXT   NOT NULL,
    request_id TEXT   NOT NULL,
    at         BIGINT NOT NULL,
    before     TEXT   NOT NULL,
    after      TEXT   NOT NULL
);
CREATE INDEX audit_events_newest ON audit_events (account_id, at, id);
CREATE INDEX audit_events_project ON audit_events (account_id, project_id, at, id);

GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO haggle_app;
GRANT SELECT, INSERT ON audit_events TO haggle_app;

-- +goose StatementBegin
CREATE FUNCTION audit_events_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit events are only added';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION audit_events_stay();
