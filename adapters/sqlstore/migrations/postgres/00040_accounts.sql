-- +goose Up
-- Finds the integrations of one account with a provider, of several projects.
CREATE INDEX integrations_account ON integrations (type, account);
