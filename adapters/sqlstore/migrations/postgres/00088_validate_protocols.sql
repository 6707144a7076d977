-- +goose Up
SET LOCAL lock_timeout = '3s';

-- Constraints that were added without reading the rows, so that nobody waited for the table. Reading them now locks out
-- nobody: sql-altertable.html, VALIDATE CONSTRAINT.
-- +goose StatementBegin
DO $$
DECLARE
    unchecked RECORD;
BEGIN
    FOR unchecked IN
        SELECT conrelid::regclass AS child, conname AS name
        FROM pg_constraint
        WHERE NOT convalidated
          AND conname IN ('quotes_state', 'sessions_protocol', 'checkouts_protocol', 'orders_protocol', 'checkouts_hook', 'orders_hook')
          AND conrelid IN ('quotes'::regclass, 'sessions'::regclass, 'checkouts'::regclass, 'orders'::regclass)
    LOOP
        EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', unchecked.child, unchecked.name);
    END LOOP;
END
$$;
-- +goose StatementEnd
