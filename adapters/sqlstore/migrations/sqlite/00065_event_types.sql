-- +goose Up
-- The lists of types of a project's active subscriptions, one after another. An event that nobody wants is stored without
-- being due.
ALTER TABLE projects ADD COLUMN event_types TEXT NOT NULL DEFAULT '';

-- +goose StatementBegin
CREATE TRIGGER event_types_of_new AFTER INSERT ON event_subscriptions
BEGIN
    UPDATE projects
    SET event_types = COALESCE((
        SELECT group_concat(types, '')
        FROM event_subscriptions
        WHERE project_id = NEW.project_id
          AND status = 'active'
    ), '')
    WHERE id = NEW.project_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER event_types_of_changed AFTER UPDATE OF status, types ON event_subscriptions
BEGIN
    UPDATE projects
    SET event_types = COALESCE((
        SELECT group_concat(types, '')
        FROM event_subscriptions
        WHERE project_id = NEW.project_id
          AND status = 'active'
    ), '')
    WHERE id = NEW.project_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER event_types_of_removed AFTER DELETE ON event_subscriptions
BEGIN
    UPDATE projects
    SET event_types = COALESCE((
        SELECT group_concat(types, '')
        FROM event_subscriptions
        WHERE project_id = OLD.project_id
          AND status = 'active'
    ), '')
    WHERE id = OLD.project_id;
END;
-- +goose StatementEnd

UPDATE projects
SET event_types = COALESCE((
    SELECT group_concat(types, '')
    FROM event_subscriptions
    WHERE project_id = projects.id
      AND status = 'active'
), '');
