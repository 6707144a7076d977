-- +goose Up
-- Decisions by their quote, which may be gone. Only what is sealed is in the index, so that answering a quote does not
-- write to it: sealing does, some hundred decisions at a time.
CREATE INDEX decisions_of_quote ON decisions (project_id, quote_id) WHERE position IS NOT NULL;

-- The planner's figures, as in 00002.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('decisions', 'decisions_of_quote', '100000 50000 3');
ANALYZE sqlite_schema;
