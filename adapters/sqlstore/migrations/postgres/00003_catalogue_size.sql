-- +goose Up
-- A merchant's list, newest first, with what it is narrowed by. The searched text is left out: it may
-- be longer than an index entry.
DROP INDEX products_newest;
CREATE INDEX products_listed ON products (project_id, created_at DESC, id) INCLUDE (status, category) WHERE deleted_at IS NULL;

-- +goose Down
DROP INDEX products_listed;
CREATE INDEX products_newest ON products (project_id, created_at, id);
