-- +goose Up
-- What is counted of each quarter of an hour (domain/analytics), folded from the records by a loop.
CREATE TABLE analytics_slots (
    project_id TEXT NOT NULL,
    at         INTEGER NOT NULL,
    figures    TEXT   NOT NULL,
    products   TEXT   NOT NULL,
    PRIMARY KEY (project_id, at)
) STRICT;

-- Deals that were lost near the floor, as far as they are folded.
CREATE TABLE analytics_lost (
    project_id TEXT NOT NULL,
    began      INTEGER  NOT NULL,
    session_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    variant_id TEXT NOT NULL,
    quantity   INTEGER NOT NULL,
    last       INTEGER  NOT NULL,
    currency   TEXT    NOT NULL,
    best       INTEGER  NOT NULL,
    standing   INTEGER  NOT NULL,
    list_price INTEGER  NOT NULL,
    floor      INTEGER  NOT NULL,
    PRIMARY KEY (project_id, began, session_id, product_id, variant_id, quantity)
) STRICT, WITHOUT ROWID;

-- The records that are not folded yet. Each comes with its record, in one transaction, and goes with the fold
-- that counts it.
CREATE TABLE analytics_pending (
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    record_id  TEXT NOT NULL,
    PRIMARY KEY (project_id, session_id, record_id)
) STRICT, WITHOUT ROWID;

-- Whoever folds a project holds its row.
CREATE TABLE analytics_folds (
    project_id TEXT NOT NULL PRIMARY KEY REFERENCES projects (id),
    folds      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER decisions_told AFTER INSERT ON decisions
BEGIN
    INSERT INTO analytics_pending (project_id, session_id, record_id)
    VALUES (NEW.project_id, NEW.session_id, NEW.id)
    ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER checkouts_told AFTER INSERT ON checkouts
BEGIN
    INSERT INTO analytics_pending (project_id, session_id, record_id)
    VALUES (NEW.project_id, NEW.session_id, NEW.id)
    ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_told AFTER INSERT ON orders
BEGIN
    INSERT INTO analytics_pending (project_id, session_id, record_id)
    VALUES (NEW.project_id, NEW.session_id, NEW.id)
    ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd

INSERT INTO analytics_pending (project_id, session_id, record_id)
SELECT project_id, session_id, id FROM decisions
UNION ALL
SELECT project_id, session_id, id FROM checkouts
UNION ALL
SELECT project_id, session_id, id FROM orders;

-- Periods that begin or end within a slot are counted there from the records.
CREATE INDEX sessions_newest ON sessions (project_id, created_at);
CREATE INDEX checkouts_of_session ON checkouts (project_id, session_id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('analytics_slots', 'sqlite_autoindex_analytics_slots_1', '10000 5000 1'),
    ('analytics_lost', 'analytics_lost', '50000 25000 1 1 1 1 1'),
    ('analytics_pending', 'analytics_pending', '2000 1000 5 1'),
    ('sessions', 'sessions_newest', '100000 50000 1'),
    ('checkouts', 'checkouts_of_session', '30000 15000 2');
ANALYZE sqlite_schema;
