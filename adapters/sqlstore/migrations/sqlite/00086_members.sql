-- +goose Up
-- People who work for accounts. An address signs in to one account of the installation. Rows stay when a member is removed:
-- the audit log names them.
CREATE TABLE members (
    id         TEXT    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    email      TEXT    NOT NULL CONSTRAINT members_address CHECK (email <> '' AND email = lower(email)),
    name       TEXT    NOT NULL CONSTRAINT members_name CHECK (name <> ''),
    role       TEXT    NOT NULL CONSTRAINT members_role CHECK (role IN ('owner', 'manager', 'support', 'analyst')),
    projects   TEXT    NOT NULL, -- a JSON list; []: all of the account's
    password   TEXT    NOT NULL, -- its hash; empty: none
    created_at INTEGER NOT NULL,
    removed_at INTEGER,
    CONSTRAINT members_owner CHECK (role <> 'owner' OR projects = '[]'),
    CONSTRAINT members_removed CHECK (removed_at IS NULL OR password = '')
) STRICT;
CREATE UNIQUE INDEX members_email ON members (email) WHERE removed_at IS NULL;
CREATE INDEX members_account ON members (account_id, created_at, id);

-- Links that let their holders do one thing, once. hash is of the secret.
CREATE TABLE member_links (
    id         TEXT    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    purpose    TEXT    NOT NULL CONSTRAINT member_links_purpose CHECK (purpose IN ('join', 'reset', 'sign_in')),
    member_id  TEXT    REFERENCES members (id),
    email      TEXT    NOT NULL CONSTRAINT member_links_email CHECK ((email <> '') = (purpose = 'join') AND email = lower(email)),
    role       TEXT    NOT NULL CONSTRAINT member_links_role CHECK (role IN ('', 'owner', 'manager', 'support', 'analyst') AND (role <> '') = (purpose = 'join')),
    projects   TEXT    NOT NULL,
    hash       BLOB    NOT NULL CONSTRAINT member_links_hash_size CHECK (length(hash) = 32),
    made_by    TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER,
    revoked_at INTEGER,
    CONSTRAINT member_links_of CHECK ((member_id IS NULL) = (purpose = 'join' AND used_at IS NULL)),
    CONSTRAINT member_links_owner CHECK (role <> 'owner' OR projects = '[]'),
    CONSTRAINT member_links_end CHECK (used_at IS NULL OR revoked_at IS NULL)
) STRICT;
CREATE UNIQUE INDEX member_links_hash ON member_links (hash);
CREATE UNIQUE INDEX member_links_invitation ON member_links (account_id, email) WHERE purpose = 'join' AND used_at IS NULL AND revoked_at IS NULL;
CREATE UNIQUE INDEX member_links_member ON member_links (member_id, purpose) WHERE purpose <> 'join' AND used_at IS NULL AND revoked_at IS NULL;
CREATE INDEX member_links_oldest ON member_links (expires_at);

-- Members' sessions in the console. hash is of the token.
CREATE TABLE console_sessions (
    id         TEXT    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    member_id  TEXT    NOT NULL REFERENCES members (id),
    hash       BLOB    NOT NULL CONSTRAINT console_sessions_hash_size CHECK (length(hash) = 32),
    address    TEXT    NOT NULL,
    browser    TEXT    NOT NULL,
    code_due   INTEGER NOT NULL, -- whether the code of the second factor is still to come
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL,
    ended_at   INTEGER
) STRICT;
CREATE UNIQUE INDEX console_sessions_hash ON console_sessions (hash);
CREATE INDEX console_sessions_account ON console_sessions (account_id, used_at) WHERE ended_at IS NULL;
CREATE INDEX console_sessions_member ON console_sessions (member_id, created_at) WHERE ended_at IS NULL;
CREATE INDEX console_sessions_oldest ON console_sessions (used_at);

-- After how many minutes without use the sessions end; NULL: the default.
ALTER TABLE accounts ADD COLUMN console_session_minutes INTEGER CONSTRAINT accounts_console_session CHECK (console_session_minutes BETWEEN 5 AND 10080);

-- Who did it, if a member did; key_id is empty then.
ALTER TABLE audit_events ADD COLUMN member_id TEXT NOT NULL DEFAULT '' CONSTRAINT audit_events_actor CHECK (key_id = '' OR member_id = '');

-- A member's own authenticators; NULL: the account's.
ALTER TABLE authenticators ADD COLUMN member_id TEXT REFERENCES members (id);
DROP INDEX authenticators_active;
DROP INDEX authenticators_pending;
CREATE UNIQUE INDEX authenticators_active ON authenticators (coalesce(member_id, account_id)) WHERE activated_at IS NOT NULL;
CREATE UNIQUE INDEX authenticators_pending ON authenticators (coalesce(member_id, account_id)) WHERE activated_at IS NULL;
CREATE INDEX authenticators_account ON authenticators (account_id);

-- When a member gave wrong codes, as a JSON list of times.
CREATE TABLE member_tries (
    member_id TEXT NOT NULL PRIMARY KEY REFERENCES members (id),
    wrong     TEXT NOT NULL
) STRICT;
