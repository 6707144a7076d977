-- +goose Up
-- Every key begins with project_id, and a planner without statistics takes that for a selective
-- column: it then walks a whole project by the wrong index (120 ms for a product's stock among
-- 19,000). These are the statistics of a large shop, so that plans are right from the first row on.
-- Each stat is the number of rows, then how many have the same first column, first two columns …
-- Source: sqlite.org/fileformat2.html#stat1tab.
ANALYZE;
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('products', 'sqlite_autoindex_products_1', '50000 25000 1'),
    ('products', 'products_sku', '50000 25000 1'),
    ('products', 'products_changed', '50000 25000 250'),
    ('products', 'products_newest', '50000 25000 100 1'),
    ('variants', 'sqlite_autoindex_variants_1', '100000 50000 1'),
    ('variants', 'sqlite_autoindex_variants_2', '100000 50000 1'),
    ('variants', 'variants_of_product', '100000 50000 2 1'),
    ('stock', 'stock', '150000 75000 2 1'),
    ('stock_moves', 'stock_moves_project', '100000 50000 1'),
    ('sessions', 'sqlite_autoindex_sessions_1', '100000 50000 1'),
    ('cart_items', 'cart_items', '20000 10000 2 1'),
    ('shown', 'shown', '200000 100000 3 1'),
    ('quotes', 'sqlite_autoindex_quotes_1', '100000 50000 1'),
    ('quotes', 'quotes_token_hash', '20000 10000 1'),
    ('quotes', 'quotes_item', '100000 50000 3 2 2 2 1'),
    ('decisions', 'sqlite_autoindex_decisions_1', '300000 150000 5 1'),
    ('checkouts', 'sqlite_autoindex_checkouts_1', '30000 15000 1'),
    ('checkouts', 'checkouts_processing', '10 1'),
    ('orders', 'sqlite_autoindex_orders_1', '20000 10000 1'),
    ('orders', 'sqlite_autoindex_orders_2', '20000 10000 1'),
    ('orders', 'orders_newest', '20000 10000 1 1'),
    ('orders', 'orders_of_session', '20000 10000 1'),
    ('payments', 'sqlite_autoindex_payments_1', '20000 10000 1'),
    ('payments', 'sqlite_autoindex_payments_2', '20000 10000 1'),
    ('returns', 'returns_of_order', '2000 1000 2'),
    ('outbox', 'sqlite_autoindex_outbox_1', '30000 15000 1'),
    ('sandbox_charges', 'sqlite_autoindex_sandbox_charges_1', '20000 10000 1');

-- +goose Down
DELETE FROM sqlite_stat1;
