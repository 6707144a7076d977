-- +goose Up
-- When stock at a location turned to or from zero, by the database's clock. Indexes in memory hear of it by
-- these rows, which are short-lived.
CREATE TABLE stock_turns (
    project_id TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    variant_id TEXT    NOT NULL,
    location   TEXT    NOT NULL,
    PRIMARY KEY (project_id, at, variant_id, location)
) STRICT, WITHOUT ROWID;
CREATE INDEX stock_turns_oldest ON stock_turns (at);

-- Rows of stock are deleted by writes of the catalogue alone, which indexes hear of by its version.
-- +goose StatementBegin
CREATE TRIGGER stock_turned AFTER UPDATE OF quantity ON stock
WHEN (OLD.quantity = 0) <> (NEW.quantity = 0)
BEGIN
    INSERT INTO stock_turns (project_id, at, variant_id, location)
    VALUES (NEW.project_id, CAST(round(unixepoch('subsec') * 1000) AS INTEGER), NEW.variant_id, NEW.location)
    ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER stock_came AFTER INSERT ON stock
WHEN NEW.quantity > 0
BEGIN
    INSERT INTO stock_turns (project_id, at, variant_id, location)
    VALUES (NEW.project_id, CAST(round(unixepoch('subsec') * 1000) AS INTEGER), NEW.variant_id, NEW.location)
    ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('stock_turns', 'stock_turns', '20000 10000 2 1 1'),
    ('stock_turns', 'stock_turns_oldest', '20000 2');
ANALYZE sqlite_schema;
