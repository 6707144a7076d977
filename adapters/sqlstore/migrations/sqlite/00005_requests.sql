-- +goose Up
-- Answers by idempotency key. id is a hash of who asked, what, and the key; body is encrypted, for
-- answers hold secrets that are shown once. A row without status is of a request under way.
CREATE TABLE idempotency_keys (
    id           BLOB    NOT NULL PRIMARY KEY,
    fingerprint  BLOB    NOT NULL,
    created_at   INTEGER NOT NULL,
    lease_until  INTEGER NOT NULL,
    status       INTEGER,
    content_type TEXT    NOT NULL,
    body         BLOB,
    CONSTRAINT idempotency_keys_sizes CHECK (length(id) = 32 AND length(fingerprint) = 32),
    CONSTRAINT idempotency_keys_status CHECK (status BETWEEN 200 AND 499)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Who changed what. Projects are not referenced: the memory outlives them. Rows are only added.
CREATE TABLE audit_events (
    id         TEXT    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    project_id TEXT    NOT NULL,
    key_id     TEXT    NOT NULL,
    action     TEXT    NOT NULL,
    target     TEXT    NOT NULL,
    address    TEXT    NOT NULL,
    request_id TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    before     TEXT    NOT NULL,
    after      TEXT    NOT NULL
) STRICT;
CREATE INDEX audit_events_newest ON audit_events (account_id, at, id);
CREATE INDEX audit_events_project ON audit_events (account_id, project_id, at, id);

-- +goose StatementBegin
CREATE TRIGGER audit_events_unchanged BEFORE UPDATE ON audit_events
BEGIN
    SELECT RAISE(ABORT, 'audit events are only added');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_events_kept BEFORE DELETE ON audit_events
BEGIN
    SELECT RAISE(ABORT, 'audit events are only added');
END;
-- +goose StatementEnd
