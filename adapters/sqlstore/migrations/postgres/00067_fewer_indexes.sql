-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Indexes of a session's rows begin with the session's id: where a table has no statistics, PostgreSQL takes an index that
-- begins with project_id for as good as the primary key, and reads all rows of the project for one. New indexes are built
-- before old ones are dropped, so that reads go on meanwhile.
CREATE INDEX quotes_item_new ON quotes (session_id, product_id, variant_id, quantity, seq);
CREATE INDEX checkouts_of_session_new ON checkouts (session_id);

-- Attempts in flight are found by the client or the project. Those of a session are among its checkouts.
CREATE INDEX checkouts_in_flight_new ON checkouts (project_id, client) WHERE status = 'processing';

-- An address is given with the first attempt to pay.
CREATE INDEX checkouts_email_new ON checkouts
    (project_id, lower(COALESCE(substring(payment FROM '"email": ?"([^"]*)"'), '') COLLATE "C"), session_id)
    WHERE status <> 'completed' AND attempt > 0;

-- Search indexes ask which products are gone, among few that are.
CREATE INDEX products_removed ON products (project_id, changed_version) WHERE deleted_at IS NOT NULL;

-- A quote is written again when it is claimed and when it is redeemed: its next versions find room on its page.
ALTER TABLE quotes SET (fillfactor = 85);

DROP INDEX quotes_item, checkouts_of_session, checkouts_in_flight, checkouts_in_flight_of_session, checkouts_email;
ALTER INDEX quotes_item_new RENAME TO quotes_item;
ALTER INDEX checkouts_of_session_new RENAME TO checkouts_of_session;
ALTER INDEX checkouts_in_flight_new RENAME TO checkouts_in_flight;
ALTER INDEX checkouts_email_new RENAME TO checkouts_email;
