-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- A buyer writes its cart: a line has a number, is at an agreed price or at list price (without quote), and a variant may have
-- several.
ALTER TABLE sessions ADD COLUMN line_seq INTEGER NOT NULL DEFAULT 0 CONSTRAINT sessions_line_seq CHECK (line_seq >= 0);

ALTER TABLE cart_items ADD COLUMN line INTEGER;
UPDATE cart_items AS c
SET line = numbered.line
FROM (
  SELECT project_id, session_id, variant_id, row_number() OVER (PARTITION BY project_id, session_id ORDER BY seq, position) AS line
  FROM cart_items
) AS numbered
WHERE c.project_id = numbered.project_id
  AND c.session_id = numbered.session_id
  AND c.variant_id = numbered.variant_id;
ALTER TABLE cart_items
    ALTER COLUMN line SET NOT NULL,
    ADD CONSTRAINT cart_items_line CHECK (line >= 1),
    DROP CONSTRAINT cart_items_pkey;
ALTER TABLE cart_items ADD CONSTRAINT cart_items_pkey PRIMARY KEY (project_id, session_id, line);

-- A cart has one checkout at a time that is not ended.
ALTER TABLE checkouts ADD COLUMN from_cart BOOLEAN NOT NULL DEFAULT FALSE;
CREATE UNIQUE INDEX checkouts_cart ON checkouts (project_id, session_id)
    WHERE from_cart AND status IN ('incomplete', 'ready', 'pending', 'processing');
