-- +goose Up
-- A buyer writes its cart: a line has a number, is at an agreed price or at list price (without quote), and a variant may have
-- several.
ALTER TABLE sessions ADD COLUMN line_seq INTEGER NOT NULL DEFAULT 0 CONSTRAINT sessions_line_seq CHECK (line_seq >= 0);

CREATE TABLE cart_lines (
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    line       INTEGER NOT NULL,
    variant_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    name       TEXT    NOT NULL,
    quantity   INTEGER NOT NULL,
    price      INTEGER NOT NULL,
    currency   TEXT    NOT NULL,
    quote_id   TEXT NOT NULL,
    seq        INTEGER NOT NULL, -- of the decision that put it there, or the last one before
    position   INTEGER NOT NULL, -- among those of one decision, or in the cart as it was written
    PRIMARY KEY (project_id, session_id, line),
    CONSTRAINT cart_items_line CHECK (line >= 1),
    CONSTRAINT cart_items_quantity CHECK (quantity BETWEEN 1 AND 1000),
    CONSTRAINT cart_items_price CHECK (price >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO cart_lines (project_id, session_id, line, variant_id, product_id, name, quantity, price, currency, quote_id, seq, position)
SELECT project_id, session_id, row_number() OVER (PARTITION BY project_id, session_id ORDER BY seq, position),
  variant_id, product_id, name, quantity, price, currency, quote_id, seq, position
FROM cart_items;
DROP TABLE cart_items;
ALTER TABLE cart_lines RENAME TO cart_items;

-- A cart has one checkout at a time that is not ended.
ALTER TABLE checkouts ADD COLUMN from_cart INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX checkouts_cart ON checkouts (project_id, session_id)
    WHERE from_cart AND status IN ('incomplete', 'ready', 'pending', 'processing');

-- The planner's figures, as in 00002.
DELETE FROM sqlite_stat1
WHERE tbl = 'cart_items'
   OR idx = 'checkouts_cart';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('cart_items', 'cart_items', '20000 10000 2 1'),
    ('checkouts', 'checkouts_cart', '1000 500 1');
ANALYZE sqlite_schema;
