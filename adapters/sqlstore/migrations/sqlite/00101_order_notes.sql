-- +goose Up
-- What merchants write down about orders. Buyers never see it.
CREATE TABLE order_notes (
    project_id TEXT    NOT NULL REFERENCES projects (id),
    id         TEXT    NOT NULL,
    order_id   TEXT    NOT NULL,
    member_id  TEXT    NOT NULL,
    key_id     TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT order_notes_order FOREIGN KEY (project_id, order_id) REFERENCES orders (project_id, id)
) STRICT;
CREATE INDEX order_notes_of ON order_notes (project_id, order_id, created_at, id);
