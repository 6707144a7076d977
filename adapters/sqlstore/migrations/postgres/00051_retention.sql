-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- What is kept for some time only. due_at is when to look again what is to go; sessions_at and sessions_id are how far
-- sessions were looked at, by their beginning. sessions_until and events_until are the latest end, by the
-- database's clock, of what went: what is younger is all there.
CREATE TABLE retention (
    project_id     TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES projects (id),
    due_at         BIGINT NOT NULL,
    sessions_at    BIGINT NOT NULL DEFAULT 0,
    sessions_id    TEXT COLLATE "C" NOT NULL DEFAULT '',
    sessions_until BIGINT NOT NULL DEFAULT 0,
    events_until   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX retention_due ON retention (due_at);
INSERT INTO retention (project_id, due_at)
SELECT id, 0
FROM projects;

-- Sessions that could not go yet when it was their turn: a payment was undecided, or something was not counted.
CREATE TABLE sessions_held (
    project_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    due_at     BIGINT NOT NULL,
    PRIMARY KEY (project_id, session_id)
);
CREATE INDEX sessions_held_due ON sessions_held (project_id, due_at);

-- Sessions that went are still counted.
ALTER TABLE analytics_slots ADD COLUMN sessions BIGINT NOT NULL DEFAULT 0;

-- The checkpoint of a chain: the decisions up to the position folded are gone. folded_until is when the last of them was
-- made, and seal is by the installation's key: who can write the database alone cannot move the checkpoint.
ALTER TABLE decision_chains
    ADD COLUMN folded       BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN folded_hash  TEXT   NOT NULL DEFAULT '',
    ADD COLUMN folded_until BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN seal         BYTEA,
    ADD CONSTRAINT decision_chains_folded CHECK (folded BETWEEN 0 AND position);

-- Decisions outlive their sessions.
ALTER TABLE decisions DROP CONSTRAINT decisions_session;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION decisions_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM gone
        WHERE NOT EXISTS (SELECT FROM projects WHERE id = gone.project_id AND status = 'deleting')
          AND NOT EXISTS (SELECT FROM decision_chains WHERE project_id = gone.project_id AND folded >= gone.position)
    ) THEN
        RAISE EXCEPTION 'decisions are only added, sealed once, and erased once';
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- What goes is found by its age.
CREATE INDEX decisions_messages ON decisions (project_id, at) WHERE message <> '';
CREATE INDEX deliveries_oldest ON deliveries (project_id, created_at);
CREATE INDEX sync_problems_oldest ON sync_problems (project_id, noted_at);
CREATE INDEX sync_runs_oldest ON sync_runs (project_id, started_at);
DROP INDEX webhook_deliveries_oldest;
CREATE INDEX webhook_deliveries_oldest ON webhook_deliveries (project_id, received_at) WHERE due_at IS NULL;

-- +goose StatementBegin
DO $$
DECLARE
    guarded TEXT;
BEGIN
    FOREACH guarded IN ARRAY ARRAY['retention', 'sessions_held'] LOOP
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
