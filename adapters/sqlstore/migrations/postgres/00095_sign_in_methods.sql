-- +goose Up
SET LOCAL lock_timeout = '3s';

-- How the member signed in; empty: before this was recorded.
ALTER TABLE console_sessions ADD COLUMN method TEXT NOT NULL DEFAULT '',
    ADD CONSTRAINT console_sessions_method CHECK (method IN ('', 'password', 'link', 'invitation', 'openid_connect')) NOT VALID;
