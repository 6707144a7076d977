-- +goose Up
-- version counts the writes of what processes keep in memory of a project. A statement that moves money compares it. The
-- catalogue and what background work notes in the row are not part of that.
ALTER TABLE projects ADD COLUMN version INTEGER NOT NULL DEFAULT 0;

-- +goose StatementBegin
CREATE TRIGGER projects_version
AFTER UPDATE OF slug, name, description, currency, settings, storefront, routes, status, agent_revision ON projects
BEGIN
    UPDATE projects SET version = version + 1 WHERE id = NEW.id;
END;
-- +goose StatementEnd
