-- +goose Up
SET LOCAL haggle.project_id = '*';

-- What is counted of each quarter of an hour (domain/analytics), folded from the records by a loop.
CREATE TABLE analytics_slots (
    project_id TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    figures    TEXT   NOT NULL,
    products   TEXT   NOT NULL,
    PRIMARY KEY (project_id, at)
);

-- Deals that were lost near the floor, as far as they are folded.
CREATE TABLE analytics_lost (
    project_id TEXT COLLATE "C" NOT NULL,
    began      BIGINT  NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    product_id TEXT COLLATE "C" NOT NULL,
    variant_id TEXT COLLATE "C" NOT NULL,
    quantity   INTEGER NOT NULL,
    last       BIGINT  NOT NULL,
    currency   TEXT    NOT NULL,
    best       BIGINT  NOT NULL,
    standing   BIGINT  NOT NULL,
    list_price BIGINT  NOT NULL,
    floor      BIGINT  NOT NULL,
    PRIMARY KEY (project_id, began, session_id, product_id, variant_id, quantity)
);

-- The records that are not folded yet. Each comes with its record, in one transaction, and goes with the fold
-- that counts it.
CREATE TABLE analytics_pending (
    project_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    record_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, session_id, record_id)
);

-- Whoever folds a project holds its row.
CREATE TABLE analytics_folds (
    project_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES projects (id),
    folds      BIGINT NOT NULL
);

-- +goose StatementBegin
DO $$
DECLARE
    guarded TEXT;
BEGIN
    FOREACH guarded IN ARRAY ARRAY['analytics_slots', 'analytics_lost', 'analytics_pending', 'analytics_folds'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
        EXECUTE format($policy$
            CREATE POLICY own_project ON %I USING (
                project_id = current_setting('haggle.project_id', true)
                OR current_setting('haggle.project_id', true) = '*'
            )$policy$, guarded);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO haggle_app', guarded);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION analytics_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO analytics_pending (project_id, session_id, record_id)
    VALUES (NEW.project_id, NEW.session_id, NEW.id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER decisions_told AFTER INSERT ON decisions FOR EACH ROW EXECUTE FUNCTION analytics_told();
CREATE TRIGGER checkouts_told AFTER INSERT ON checkouts FOR EACH ROW EXECUTE FUNCTION analytics_told();
CREATE TRIGGER orders_told AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION analytics_told();

INSERT INTO analytics_pending (project_id, session_id, record_id)
SELECT project_id, session_id, id FROM decisions
UNION ALL
SELECT project_id, session_id, id FROM checkouts
UNION ALL
SELECT project_id, session_id, id FROM orders;

-- Periods that begin or end within a slot are counted there from the records.
CREATE INDEX sessions_newest ON sessions (project_id, created_at);
CREATE INDEX checkouts_of_session ON checkouts (project_id, session_id);
