-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Audit events are kept for 730 days, by the real clock, and then removed.
CREATE INDEX audit_events_oldest ON audit_events (at);
DROP TRIGGER audit_events_stay ON audit_events;
CREATE TRIGGER audit_events_stay BEFORE UPDATE OR TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION audit_events_stay();
-- +goose StatementBegin
CREATE FUNCTION audit_events_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM gone WHERE at >= CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) - 63072000000) THEN
        RAISE EXCEPTION 'audit events are only added, and kept for 730 days';
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_events_kept AFTER DELETE ON audit_events REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION audit_events_kept();
GRANT DELETE ON audit_events TO haggle_app;

-- Stock adjustments go with the logs.
CREATE INDEX stock_moves_oldest ON stock_moves (project_id, created_at);

-- The quarters of an hour before slots_until are joined to days.
ALTER TABLE retention ADD COLUMN slots_until BIGINT NOT NULL DEFAULT 0;

-- What strangers left in a closed project goes as in others.
INSERT INTO retention (project_id, due_at)
SELECT id, 0
FROM projects
WHERE status IN ('closing', 'closed')
ON CONFLICT (project_id) DO NOTHING;
