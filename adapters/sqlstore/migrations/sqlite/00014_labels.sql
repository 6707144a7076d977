-- +goose Up
-- The shipping labels of orders. While somebody buys one, due_at is when others may take it up.
CREATE TABLE labels (
    project_id      TEXT    NOT NULL,
    order_id        TEXT    NOT NULL,
    test            INTEGER NOT NULL,
    id              TEXT    NOT NULL,
    integration_id  TEXT    NOT NULL,
    carrier         TEXT    NOT NULL,
    service         TEXT    NOT NULL,
    grams           INTEGER NOT NULL,
    due_at          INTEGER,
    unsure          INTEGER NOT NULL,
    remote          TEXT    NOT NULL,
    tracking_number TEXT    NOT NULL,
    currency        TEXT    NOT NULL,
    price           INTEGER NOT NULL,
    pdf             BLOB,
    told            INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    bought_at       INTEGER,
    PRIMARY KEY (project_id, order_id, test),
    CONSTRAINT labels_in_hand CHECK (due_at IS NULL OR bought_at IS NULL)
) STRICT;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('labels', 'sqlite_autoindex_labels_1', '20000 10000 1 1');
ANALYZE sqlite_schema;
