-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- version counts the writes of what processes keep in memory of a project. A statement that moves money compares it. The
-- catalogue and what background work notes in the row are not part of that.
ALTER TABLE projects ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- +goose StatementBegin
CREATE FUNCTION projects_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version = OLD.version + 1;
    RETURN NEW;
END;
$$;
-- +goose StatementEnd
CREATE TRIGGER projects_version
    BEFORE UPDATE OF slug, name, description, currency, settings, storefront, routes, status, agent_revision ON projects
    FOR EACH ROW EXECUTE FUNCTION projects_version();
