-- +goose Up
-- The shipping labels of orders. While somebody buys one, due_at is when others may take it up.
CREATE TABLE labels (
    project_id      TEXT COLLATE "C" NOT NULL,
    order_id        TEXT COLLATE "C" NOT NULL,
    test            BOOLEAN NOT NULL,
    id              TEXT COLLATE "C" NOT NULL,
    integration_id  TEXT COLLATE "C" NOT NULL,
    carrier         TEXT    NOT NULL,
    service         TEXT    NOT NULL,
    grams           INTEGER NOT NULL,
    due_at          BIGINT,
    unsure          BOOLEAN NOT NULL,
    remote          TEXT    NOT NULL,
    tracking_number TEXT    NOT NULL,
    currency        TEXT    NOT NULL,
    price           BIGINT  NOT NULL,
    pdf             BYTEA,
    told            BOOLEAN NOT NULL,
    created_at      BIGINT  NOT NULL,
    bought_at       BIGINT,
    PRIMARY KEY (project_id, order_id, test),
    CONSTRAINT labels_in_hand CHECK (due_at IS NULL OR bought_at IS NULL)
);
ALTER TABLE labels ENABLE ROW LEVEL SECURITY;
ALTER TABLE labels FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON labels USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON labels TO haggle_app;
