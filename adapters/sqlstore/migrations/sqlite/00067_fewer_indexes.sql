-- +goose Up
DROP INDEX quotes_item;
DROP INDEX checkouts_of_session;
DROP INDEX checkouts_in_flight;
DROP INDEX checkouts_in_flight_of_session;
DROP INDEX checkouts_email;

CREATE INDEX quotes_item ON quotes (session_id, product_id, variant_id, quantity, seq);
CREATE INDEX checkouts_of_session ON checkouts (session_id);

-- Attempts in flight are found by the client or the project. Those of a session are among its checkouts.
CREATE INDEX checkouts_in_flight ON checkouts (project_id, client) WHERE status = 'processing';

-- An address is given with the first attempt to pay.
CREATE INDEX checkouts_email ON checkouts
    (project_id, lower(COALESCE(CASE WHEN json_valid(payment) THEN payment ->> 'email' END, '')), session_id)
    WHERE status <> 'completed' AND attempt > 0;

-- Search indexes ask which products are gone, among few that are.
CREATE INDEX products_removed ON products (project_id, changed_version) WHERE deleted_at IS NOT NULL;

-- The planner's figures, as in 00002. They do not go with an index.
DELETE FROM sqlite_stat1
WHERE idx IN ('quotes_item', 'checkouts_of_session', 'checkouts_in_flight', 'checkouts_in_flight_of_session', 'checkouts_email');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('products', 'products_removed', '1000 500 1'),
    ('quotes', 'quotes_item', '100000 3 2 2 2 1'),
    ('checkouts', 'checkouts_of_session', '30000 2'),
    ('checkouts', 'checkouts_in_flight', '10 5 2'),
    ('checkouts', 'checkouts_email', '20000 10000 2 1');
ANALYZE sqlite_schema;
