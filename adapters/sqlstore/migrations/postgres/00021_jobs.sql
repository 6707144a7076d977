-- +goose Up
-- Background work that cannot be read, or that made the program panic: it is due again at due_at. A row goes
-- when its work was done after all.
CREATE TABLE jobs_set_aside (
    project_id TEXT COLLATE "C" NOT NULL,
    queue      TEXT COLLATE "C" NOT NULL,
    row_id     TEXT COLLATE "C" NOT NULL,
    failures   INTEGER NOT NULL, -- in a row
    due_at     BIGINT  NOT NULL,
    error      TEXT    NOT NULL,
    first_at   BIGINT  NOT NULL,
    PRIMARY KEY (project_id, queue, row_id)
);

-- The group of each kind of work comes first in its index, so that whoever claims work finds every group's
-- longest waiting without reading past another group's.
ALTER TABLE checkouts ADD COLUMN queue TEXT COLLATE "C" NOT NULL DEFAULT ''; -- the project and its payment account
UPDATE checkouts SET queue = project_id WHERE status = 'processing';
DROP INDEX checkouts_processing;
CREATE INDEX checkouts_waiting
    ON checkouts (queue, (CASE WHEN retry_at > lease_until THEN retry_at ELSE lease_until END)) WHERE status = 'processing';
DROP INDEX refunds_waiting;
CREATE INDEX refunds_waiting ON refunds (project_id, due_at) WHERE due_at IS NOT NULL;
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (project_id, due_at) WHERE due_at IS NOT NULL;

-- +goose StatementBegin
DO $$
BEGIN
    ALTER TABLE jobs_set_aside ENABLE ROW LEVEL SECURITY;
    ALTER TABLE jobs_set_aside FORCE ROW LEVEL SECURITY;
    CREATE POLICY own_project ON jobs_set_aside USING (
        project_id = current_setting('haggle.project_id', true)
        OR current_setting('haggle.project_id', true) = '*'
    );
    GRANT SELECT, INSERT, UPDATE, DELETE ON jobs_set_aside TO haggle_app;
END
$$;
-- +goose StatementEnd
