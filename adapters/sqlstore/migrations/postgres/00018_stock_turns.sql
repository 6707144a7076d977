-- +goose Up
-- When stock at a location turned to or from zero, by the database's clock. Indexes in memory hear of it by
-- these rows, which are short-lived. The location is in the key so that nobody ever waits for a row that
-- another transaction is about to add: whoever turns a location's stock holds its row in stock.
CREATE TABLE stock_turns (
    project_id TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    variant_id TEXT COLLATE "C" NOT NULL,
    location   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, at, variant_id, location)
);
CREATE INDEX stock_turns_oldest ON stock_turns (at);
ALTER TABLE stock_turns ENABLE ROW LEVEL SECURITY;
ALTER TABLE stock_turns FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON stock_turns USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON stock_turns TO haggle_app;

-- The condition of the first is what a sale pays for: the function is called when stock turns. Imports
-- insert many rows at a time, so the second looks at all of a statement. Rows are deleted by writes of the
-- catalogue alone, which indexes hear of by its version.
-- +goose StatementBegin
CREATE FUNCTION stock_turned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stock_turns (project_id, at, variant_id, location)
    VALUES (NEW.project_id, extract(epoch FROM clock_timestamp()) * 1000, NEW.variant_id, NEW.location)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION stock_came() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stock_turns (project_id, at, variant_id, location)
    SELECT project_id, extract(epoch FROM clock_timestamp()) * 1000, variant_id, location
    FROM came
    WHERE quantity > 0
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER stock_turned AFTER UPDATE OF quantity ON stock
    FOR EACH ROW WHEN ((OLD.quantity = 0) <> (NEW.quantity = 0)) EXECUTE FUNCTION stock_turned();
CREATE TRIGGER stock_came AFTER INSERT ON stock REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION stock_came();
