-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- The keys of 00029 are checked against the rows that there are. One that a row breaks stays unchecked: it holds for new
-- rows, and haggle verify names the row. The shop goes on.
-- +goose StatementBegin
DO $$
DECLARE
    unchecked RECORD;
BEGIN
    FOR unchecked IN
        SELECT conrelid::regclass AS child, conname AS name
        FROM pg_constraint
        WHERE contype = 'f' AND NOT convalidated
        ORDER BY conrelid::regclass::text, conname
    LOOP
        BEGIN
            EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', unchecked.child, unchecked.name);
        EXCEPTION WHEN foreign_key_violation THEN
            RAISE WARNING '%: rows break %; run haggle verify', unchecked.child, unchecked.name;
        END;
    END LOOP;
END
$$;
-- +goose StatementEnd

-- How many more pieces payment attempts held when a level was set than the level has. What they give back goes
-- here first, so that it is not sold beyond what was counted.
ALTER TABLE stock ADD COLUMN oversold INTEGER NOT NULL DEFAULT 0 CONSTRAINT stock_oversold CHECK (oversold >= 0);
