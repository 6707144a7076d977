-- +goose Up
-- A merchant's list, newest first, with all that it is narrowed by: what a page passes over is read
-- from the index alone.
DROP INDEX products_newest;
CREATE INDEX products_listed ON products (project_id, created_at DESC, id, status, category, folded) WHERE deleted_at IS NULL;
DELETE FROM sqlite_stat1 WHERE idx = 'products_newest';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'products_listed', '50000 25000 100 1 1 1 1');
ANALYZE sqlite_schema;

-- +goose Down
DROP INDEX products_listed;
CREATE INDEX products_newest ON products (project_id, created_at, id);
DELETE FROM sqlite_stat1 WHERE idx = 'products_listed';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'products_newest', '50000 25000 100 1');
