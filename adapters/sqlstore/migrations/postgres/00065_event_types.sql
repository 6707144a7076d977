-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- The lists of types of a project's active subscriptions, one after another. An event that nobody wants is stored without
-- being due.
ALTER TABLE projects ADD COLUMN event_types TEXT NOT NULL DEFAULT '';

-- The lock waits for transactions that store events, and they for it: they read event_types under FOR KEY SHARE. So an
-- event is either stored before the subscription is active, or due. The UPDATE, a statement of its own, sees what was
-- committed while the lock was waited for.
-- +goose StatementBegin
CREATE FUNCTION event_types_wanted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of TEXT := CASE WHEN TG_OP = 'DELETE' THEN OLD.project_id ELSE NEW.project_id END;
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.status = OLD.status AND NEW.types = OLD.types THEN
        RETURN NULL;
    END IF;
    PERFORM 1 FROM projects WHERE id = of FOR UPDATE;
    UPDATE projects
    SET event_types = COALESCE((
        SELECT string_agg(types, '' ORDER BY id)
        FROM event_subscriptions
        WHERE project_id = of
          AND status = 'active'
    ), '')
    WHERE id = of;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER event_types_wanted AFTER INSERT OR DELETE OR UPDATE OF status, types ON event_subscriptions
    FOR EACH ROW EXECUTE FUNCTION event_types_wanted();

UPDATE projects
SET event_types = s.types
FROM (
    SELECT project_id, string_agg(types, '' ORDER BY id) AS types
    FROM event_subscriptions
    WHERE status = 'active'
    GROUP BY project_id
) AS s
WHERE projects.id = s.project_id;
