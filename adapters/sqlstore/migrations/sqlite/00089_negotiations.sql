-- +goose Up
-- The session's name that opens nothing (id.NegotiationOf), in its first decision: by it merchants find a negotiation. NULL: of
-- an earlier release, and named soon by the server, in parts.
ALTER TABLE decisions ADD COLUMN negotiation_id TEXT;
CREATE INDEX decisions_negotiation ON decisions (negotiation_id, project_id) WHERE seq = 1;

-- +goose StatementBegin
CREATE TRIGGER decisions_name BEFORE UPDATE OF negotiation_id ON decisions
WHEN OLD.negotiation_id IS NOT NULL OR NEW.negotiation_id IS NULL
BEGIN
    SELECT RAISE(ABORT, 'decisions are only added, sealed once, and erased once');
END;
-- +goose StatementEnd

-- The planner's figures, as in 00002.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('decisions', 'decisions_negotiation', '100000 1 1');
ANALYZE sqlite_schema;
