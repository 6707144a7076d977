-- +goose Up
-- A closed project keeps the credentials of its payment providers as long as its money can still move.
-- credentials_until is when to look whether it can, by the database's clock; null: there are none to erase.
ALTER TABLE projects ADD COLUMN credentials_until BIGINT;
UPDATE projects SET credentials_until = closing_at WHERE status = 'closed';
CREATE INDEX projects_credentials ON projects (credentials_until) WHERE credentials_until IS NOT NULL;
