-- +goose Up
-- How the member signed in; empty: before this was recorded.
ALTER TABLE console_sessions ADD COLUMN method TEXT NOT NULL DEFAULT ''
    CONSTRAINT console_sessions_method CHECK (method IN ('', 'password', 'link', 'invitation', 'openid_connect'));
