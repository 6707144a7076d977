-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Decisions by their quote, which may be gone. Only what is sealed is in the index, so that answering a quote does not
-- write to it: sealing does, some hundred decisions at a time.
CREATE INDEX decisions_of_quote ON decisions (project_id, quote_id) WHERE position IS NOT NULL;
