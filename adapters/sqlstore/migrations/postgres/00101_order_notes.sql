-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- What merchants write down about orders. Buyers never see it.
CREATE TABLE order_notes (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id         TEXT COLLATE "C" NOT NULL,
    order_id   TEXT COLLATE "C" NOT NULL,
    member_id  TEXT COLLATE "C" NOT NULL,
    key_id     TEXT COLLATE "C" NOT NULL,
    text       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT order_notes_order FOREIGN KEY (project_id, order_id) REFERENCES orders (project_id, id)
);
CREATE INDEX order_notes_of ON order_notes (project_id, order_id, created_at, id);

ALTER TABLE order_notes ENABLE ROW LEVEL SECURITY;
ALTER TABLE order_notes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON order_notes USING (
    project_id = current_setting('haggle.project_id', true)
    OR current_setting('haggle.project_id', true) = '*'
);
GRANT SELECT, INSERT, UPDATE, DELETE ON order_notes TO haggle_app;
